package profiletables

import "testing"

// Ids are found in order, with gaps, out of order, large, and none beside them.
func TestIndexFindsEveryID(t *testing.T) {
	for _, ids := range [][]uint64{{}, {1, 2, 3}, {1, 2, 4}, {2, 1, 3}, {1, 2, 1 << 40}, {3, 1, ^uint64(0)}} {
		x, err := newIndex("location", len(ids), func(i int) uint64 { return ids[i] })
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range ids {
			if got, ok := x.Find(id); !ok || got != i {
				t.Errorf("ids %d: %d is at %d (%v), want %d", ids, id, got, ok, i)
			}
		}
		for _, id := range []uint64{0, 5, 1 << 41} {
			if _, ok := x.Find(id); ok {
				t.Errorf("ids %d: %d is found", ids, id)
			}
		}
	}
	if _, err := newIndex("location", 3, func(i int) uint64 { return []uint64{1, 2, 2}[i] }); err == nil {
		t.Error("an id that is there twice is accepted")
	}
}
