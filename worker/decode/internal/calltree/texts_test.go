package calltree

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"slowpath.dev/decode/internal/profiletables"
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

// A string that the input holds twice, and a text made equal to it, have one number once they are sorted.
func TestEqualTextsAreOne(t *testing.T) {
	var input profiletables.StringTable
	for _, text := range []string{"", "main.b", "main.a", "main.b", ""} {
		input.Append([]byte(text))
	}
	known := newTexts(&input)
	first, other, again, empty, made := known.of(1), known.of(2), known.of(3), known.of(4), known.add("main.b")
	known.sort()
	if rank := known.rank; rank[first] != rank[again] || rank[first] != rank[made] || rank[other] == rank[first] {
		t.Errorf("numbers %d, %d, %d and %d of main.b, main.a, main.b and main.b", rank[first], rank[other], rank[again], rank[made])
	}
	if empty != 0 || known.rank[0] != 0 || len(known.all) != 3 {
		t.Errorf("texts %q, the empty one %d", known.all, empty)
	}
}
