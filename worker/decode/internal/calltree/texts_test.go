package calltree

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Texts that share beginnings of any length, and bytes above 0x7f, come in
// order of their bytes.
func TestSortTextsByBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := []string{"a", "b", "/", "é", "世", "example.com/"}
	known := map[string]bool{"": true}
	for len(known) < 2000 {
		var text strings.Builder
		for range random.IntN(12) {
			text.WriteString(letters[random.IntN(len(letters))])
		}
		known[text.String()] = true
	}
	var all []string
	var order []entry
	for text := range known {
		order = append(order, entry{row: uint32(len(all))})
		all = append(all, text)
	}
	sortTexts(all, order, 0)
	var got []string
	for _, e := range order {
		got = append(got, all[e.row])
	}
	if want := slices.Sorted(slices.Values(all)); !slices.Equal(got, want) {
		t.Errorf("texts are not in order of their bytes")
	}
}
