package growlist

import "testing"

func TestGrowListAcrossPages(t *testing.T) {
	var l GrowList[int]
	const n = 3*pageLen + 5
	for i := range n {
		l.Append(i * i)
	}
	if l.Len() != n {
		t.Errorf("length %d", l.Len())
	}
	for _, i := range []int{0, pageLen - 1, pageLen, 2*pageLen + 1, n - 1} {
		if l.At(i) != i*i {
			t.Errorf("element %d is %d", i, l.At(i))
		}
	}
	i := 0
	for v := range l.All() {
		if v != i*i {
			t.Fatalf("element %d is %d", i, v)
		}
		i++
	}
	if i != n {
		t.Errorf("walked over %d", i)
	}
	for _, stop := range []int{3, pageLen*3 + 2} { // a walk may end early, in any page
		seen := 0
		for range l.All() {
			if seen++; seen == stop {
				break
			}
		}
		if seen != stop {
			t.Errorf("stopped after %d, want %d", seen, stop)
		}
	}
	l.Release()
	if l.Len() != 0 {
		t.Error("not released")
	}
}
