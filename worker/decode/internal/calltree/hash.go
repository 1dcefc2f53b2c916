package calltree

import "slowpath.dev/decode/internal/profilefile"

// PathHash returns the hash of a path of keys from the hash of the path without
// its last key. The root's is 0, no other node's is.
//
// It is stable forever, in every file and on every machine, since stored files
// are matched by it:
//
//	key    = FNV-1a, 64 bits, over the key's UTF-8 bytes
//	x      = parent * 0x9E3779B97F4A7C15 + key          (mod 2^64)
//	x      = (x ^ x>>33) * 0xFF51AFD7ED558CCD           (mod 2^64)
//	x      = (x ^ x>>33) * 0xC4CEB9FE1A85EC53           (mod 2^64)
//	hash   = x ^ x>>33, or 1 if that is 0
//
// FNV-1a: draft-eastlake-fnv. The finaliser is that of MurmurHash3 (Austin
// Appleby, public domain).
func PathHash(parent uint64, key []byte) uint64 { return joinHash(parent, keyHash(key)) }

func keyHash(key []byte) uint64 {
	h := uint64(0xCBF29CE484222325)
	for _, c := range key {
		h = (h ^ uint64(c)) * 0x100000001B3
	}
	return h
}

func joinHash(parent, key uint64) uint64 {
	x := parent*0x9E3779B97F4A7C15 + key
	x = (x ^ x>>33) * 0xFF51AFD7ED558CCD
	x = (x ^ x>>33) * 0xC4CEB9FE1A85EC53
	return max(x^x>>33, 1)
}

// hashStacks fills stack_hash: in preorder the ancestors of a node are at hand.
func hashStacks(f *profilefile.File) {
	hashes := make([]uint64, len(f.StringsOffset)-1)
	for i := range hashes {
		hashes[i] = keyHash(f.StringsBytes[f.StringsOffset[i]:f.StringsOffset[i+1]])
	}
	f.StackHash = make([]uint64, 0, len(f.StackNode))
	path, nodes := []uint64{0}, []uint32{0} // of the node at hand, from the root
	branches, parents := f.Nodes.Branch, f.Nodes.BranchParent
	for node, key := range f.NodeKey {
		if node > 0 {
			if len(branches) > 0 && int(branches[0]) == node {
				depth := len(nodes)
				for nodes[depth-1] != parents[0] {
					depth--
				}
				path, nodes = path[:depth], nodes[:depth]
				branches, parents = branches[1:], parents[1:]
			}
			path, nodes = append(path, joinHash(path[len(path)-1], hashes[key])), append(nodes, uint32(node))
		}
		if at := len(f.StackHash); at < len(f.StackNode) && int(f.StackNode[at]) == node {
			f.StackHash = append(f.StackHash, path[len(path)-1])
		}
	}
}
