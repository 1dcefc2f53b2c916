//go:build pool

package ingest

// spawner hands batches to goroutines that live as long as the process, whose stacks have grown once and for all.
type spawner struct {
	work chan task
}

type task struct {
	burst *burst
	frame []byte
}

func newSpawner(limit int) *spawner {
	s := &spawner{work: make(chan task, limit)}
	for range limit {
		go s.run()
	}
	return s
}

// spawn hands one frame to a worker, waiting while all are busy and the queue is full.
func (s *spawner) spawn(b *burst, frame []byte) {
	s.work <- task{burst: b, frame: frame}
}

func (s *spawner) run() {
	for next := range s.work {
		next.burst.writeFrame(next.frame)
	}
}
