package calltree

import (
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/profiletables"
	"slowpath.dev/decode/internal/symbolkey"
)

// texts numbers strings: first in order of arrival, then, when all are known,
// by their bytes, so that the numbers do not depend on the order of input.
//
// Functions and labels refer to the strings of the input by index, and millions
// of them may refer to the same one. So each string of the input is checked once
// and found again by its index. Hardly any is there twice, so equal ones become
// one only when they are sorted; only texts made here are hashed.
type texts struct {
	input   *profiletables.StringTable
	byIndex []uint32 // number by arrival + 1 of an index of the input; 0 for not yet
	keys    []uint32 // the same of the key of a name

	made    map[string]uint32   // texts that are no string of the input, by arrival
	all     []string            // by arrival, some twice; after sort by bytes, each once
	rank    []uint32            // number by bytes, of a number by arrival
	bytes   int64               // of all
	invalid map[string]struct{} // those that are not UTF-8, as they came
	nuls    int                 // strings that held NUL
}

func newTexts(input *profiletables.StringTable) *texts {
	return &texts{
		input: input, byIndex: make([]uint32, input.Len()), keys: make([]uint32, input.Len()),
		made: map[string]uint32{}, all: append(make([]string, 0, input.Len()+1), ""), invalid: map[string]struct{}{},
	}
}

// add numbers a text that was made; the empty string is 0.
func (t *texts) add(text string) uint32 {
	n, ok := t.made[text]
	if !ok {
		n = t.arrive(text)
		t.made[text] = n
	}
	return n
}

// arrive numbers a text by arrival, whether or not an equal one has a number.
func (t *texts) arrive(text string) uint32 {
	if text == "" {
		return 0
	}
	n := uint32(len(t.all))
	t.all = append(t.all, text)
	t.bytes += int64(len(text))
	return n
}

// of numbers string i of the input; Check has proven that it is there.
func (t *texts) of(i int64) uint32 {
	if t.byIndex[i] == 0 {
		t.byIndex[i] = t.arrive(t.clean(t.input.At(i))) + 1
	}
	return t.byIndex[i] - 1
}

// at returns string i of the input, cleaned.
func (t *texts) at(i int64) string { return t.all[t.of(i)] }

// keyOf numbers the key of the name that is string i of the input.
func (t *texts) keyOf(i int64) uint32 {
	if t.keys[i] == 0 {
		name := t.of(i)
		t.keys[i] = name + 1
		if key := symbolkey.Key(t.all[name]); key != t.all[name] {
			t.keys[i] = t.add(key) + 1
		}
	}
	return t.keys[i] - 1
}

// check refuses texts that were made of the input and grew beyond measure, as
// numbers do that each carry a long unit.
func (t *texts) check(limit int64) error {
	if t.bytes <= limit {
		return nil
	}
	return inputerror.New("strings-too-large", "The names and labels of this profile take more than %d bytes. If the file is valid, raise --max-strings.", limit).
		WithLimit(limit, t.bytes, "bytes")
}

// clean returns valid UTF-8 without NUL: every bad byte becomes U+FFFD. NUL is
// valid UTF-8, but neither PostgreSQL nor C tools can hold it.
func (t *texts) clean(raw []byte) string {
	if utf8.Valid(raw) && !slices.Contains(raw, 0) {
		return unsafe.String(unsafe.SliceData(raw), len(raw)) // no copy: the table never changes its strings
	}
	if utf8.Valid(raw) {
		t.nuls++
	} else {
		t.invalid[string(raw)] = struct{}{}
	}
	return strings.ReplaceAll(string([]rune(string(raw))), "\x00", "\uFFFD")
}

// sort ends the arrivals, makes equal strings one, and numbers all by their bytes.
func (t *texts) sort() {
	order := make([]entry, len(t.all))
	for n := range order {
		order[n].row = uint32(n)
	}
	sortTexts(t.all, order, 0)
	t.rank = make([]uint32, len(order))
	sorted := make([]string, 0, len(order))
	for i, e := range order {
		if i == 0 || t.all[e.row] != sorted[len(sorted)-1] {
			sorted = append(sorted, t.all[e.row])
		}
		t.rank[e.row] = uint32(len(sorted) - 1)
	}
	t.all, t.made, t.byIndex, t.keys = sorted, nil, nil, nil
}

// wordBytes is how many bytes of a text are compared at once.
const wordBytes = 8

// sortTexts sorts texts that are equal in all bytes before from, eight bytes at
// a time: names begin with long paths that they share with many others. No text
// holds NUL, so a word that ends in zeros ends its text.
func sortTexts(all []string, order []entry, from int) {
	for {
		same := true
		for i := range order {
			e := &order[i]
			e.word = wordAt(all[e.row], from)
			same = same && e.word == order[0].word
		}
		if !same {
			break
		}
		if order[0].word&0xff == 0 {
			return
		}
		from += wordBytes
	}
	sortByWord(order)
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && order[j].word == order[i].word {
			j++
		}
		if j > i+1 && order[i].word&0xff != 0 {
			sortTexts(all, order[i:j], from+wordBytes)
		}
		i = j
	}
}

// wordAt returns eight bytes of a text so that they compare as numbers; zeros
// represent bytes after its end.
func wordAt(text string, from int) uint64 {
	if len(text)-from >= wordBytes {
		s := text[from : from+wordBytes]
		return uint64(s[7]) | uint64(s[6])<<8 | uint64(s[5])<<16 | uint64(s[4])<<24 |
			uint64(s[3])<<32 | uint64(s[2])<<40 | uint64(s[1])<<48 | uint64(s[0])<<56
	}
	word := uint64(0)
	for i := from; i < len(text); i++ {
		word |= uint64(text[i]) << (8 * (wordBytes - 1 - (i - from)))
	}
	return word
}

// keep writes the strings that are in use, and returns the place of each there.
func (t *texts) keep(used []bool) (offsets []uint32, bytes []byte, place []uint32) {
	count, size := 1, 0
	for i, text := range t.all {
		if used[i] {
			count, size = count+1, size+len(text)
		}
	}
	place = make([]uint32, len(t.all))
	offsets, bytes = make([]uint32, 1, count), make([]byte, 0, size)
	for i, text := range t.all {
		if !used[i] {
			continue
		}
		place[i] = uint32(len(offsets) - 1)
		bytes = append(bytes, text...)
		offsets = append(offsets, uint32(len(bytes)))
	}
	return offsets, bytes, place
}

func identity(n int) []uint32 {
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	return order
}
