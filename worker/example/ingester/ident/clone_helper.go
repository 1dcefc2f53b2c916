//go:build helper

package ident

// Clone copies an identifier into the pool.
//
//go:noinline
func (p *Pool) Clone(id []byte) ID {
	var slot []byte
	open := p.current.Load()
	if end := int(open.used.Add(int64(len(id)))); end <= chunkBytes {
		slot = open.bytes[end-len(id) : end : end]
	} else {
		slot = p.refill(len(id))
	}
	return ID{Data: cloneBytes(slot, id)}
}

// cloneBytes copies src into slot and returns what was filled. It is the tidy-up that this build is about: the copying of
// Clone, taken out so that tags can use it too. The other callers were left out of the example; the
// directive has the effect of a function that is too large to inline.
//
//go:noinline
func cloneBytes(slot, src []byte) []byte {
	return slot[:copy(slot, src)]
}
