//go:build !pool

package ingest

// spawner limits how many batches are written at a time; each is written in a goroutine made for it.
type spawner struct {
	tokens chan struct{}
}

func newSpawner(limit int) *spawner {
	return &spawner{tokens: make(chan struct{}, limit)}
}

// spawn writes one frame in a fresh goroutine, waiting while too many are under way.
func (s *spawner) spawn(b *burst, frame []byte) {
	s.tokens <- struct{}{}
	go s.run(b, frame)
}

func (s *spawner) run(b *burst, frame []byte) {
	b.writeFrame(frame)
	<-s.tokens
}
