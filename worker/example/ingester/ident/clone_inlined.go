//go:build !helper

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
	copy(slot, id)
	return ID{Data: slot}
}
