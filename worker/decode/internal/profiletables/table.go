// Package profiletables is a profile as it was read: tables of functions, locations
// and strings, and the samples as columns.
//
// Samples usually come before the locations that they name, so a stack is retained
// as the bytes of its location ids, just as they came, until all is read.
package profiletables

import (
	"encoding/binary"
	"iter"
	"slices"
	"unicode/utf8"

	"slowpath.dev/decode/internal/growlist"
)

// Function is one function; its texts are indexes into Table.Strings.
type Function struct {
	ID        uint64
	Name      int64
	System    int64
	File      int64
	StartLine int64
}

// Location is one address; Lines of its frames start at FirstLine, callee
// first. Mapping is an id, 0 for none.
type Location struct {
	ID        uint64
	Mapping   uint64
	Address   uint64 // of an instruction in the process; 0 if unknown
	FirstLine uint32
	Lines     uint32
}

// Line is one frame of a location: a function id and a line.
type Line struct {
	Function uint64
	Line     int64
}

// Mapping is one loaded binary; texts are indexes into Table.Strings.
type Mapping struct {
	ID      uint64
	Start   uint64 // address in the process
	Offset  uint64 // of what is at Start in the file
	File    int64
	BuildID int64
}

// ValueType is what is counted; texts are indexes into Table.Strings.
type ValueType struct{ Type, Unit int64 }

// Label is one label of a sample; Text is 0 for a numeric one.
type Label struct {
	Key    int64
	Text   int64
	Number int64
	Unit   int64
}

// Table is a whole profile as read. Rows are samples in input order; Stacks,
// RowLabelset and RowValues are columns of them.
type Table struct {
	SampleTypes       []ValueType
	DefaultSampleType int64
	PeriodType        ValueType
	Period            int64
	TimeNs            int64
	DurationNs        int64
	DropFrames        int64
	KeepFrames        int64
	Comments          []int64
	Strings           StringTable

	Mappings  []Mapping
	Functions growlist.GrowList[Function]
	Locations growlist.GrowList[Location]
	Lines     growlist.GrowList[Line]

	Stacks       StackTable
	RowLabelset  growlist.GrowList[uint32]
	RowValues    growlist.GrowList[int64] // row-major
	ValuesPerRow int                      // -1 before the first row
	Labelsets    Labelsets
}

// NewTable makes an empty table.
func NewTable() *Table {
	return &Table{ValuesPerRow: -1}
}

// StringTable is a list of byte strings, which stay where they are as it grows.
type StringTable struct {
	ends   growlist.GrowList[uint32] // of every string, in its page
	pages  [][]byte                  // whole strings only
	firsts []int                     // the first string of every page
	size   int64
	cut    int64
}

// stringsPage is how many bytes of strings are allocated together.
const stringsPage = 1 << 20

// Append adds one string, shorter than 4 GiB.
func (s *StringTable) Append(text []byte) {
	if n := len(s.pages); n == 0 || cap(s.pages[n-1])-len(s.pages[n-1]) < len(text) {
		s.pages = append(s.pages, make([]byte, 0, max(stringsPage, len(text))))
		s.firsts = append(s.firsts, s.ends.Len())
	}
	page := &s.pages[len(s.pages)-1]
	*page = append(*page, text...)
	s.ends.Append(uint32(len(*page)))
	s.size += int64(len(text))
}

// cutMark is appended at the end of a string that was cut.
const cutMark = " (cut)"

// AppendCut adds the beginning of a string that was too long, up to a whole
// character, and marks it.
func (s *StringTable) AppendCut(beginning []byte) {
	start := len(beginning) - 1 // of the last character
	for start > 0 && start > len(beginning)-utf8.UTFMax && !utf8.RuneStart(beginning[start]) {
		start--
	}
	if start >= 0 && !utf8.FullRune(beginning[start:]) {
		beginning = beginning[:start]
	}
	s.Append(append(slices.Clip(beginning), cutMark...))
	s.cut++
}

// Cut returns the number of strings that were cut.
func (s *StringTable) Cut() int64 { return s.cut }

// Len returns the number of strings.
func (s *StringTable) Len() int { return s.ends.Len() }

// Size returns the bytes of all strings together.
func (s *StringTable) Size() int64 { return s.size }

// At returns string i; the bytes belong to the table and never change.
func (s *StringTable) At(i int64) []byte {
	page, first := slices.BinarySearch(s.firsts, int(i))
	start := uint32(0)
	if !first {
		page, start = page-1, s.ends.At(int(i)-1)
	}
	return s.pages[page][start:s.ends.At(int(i))]
}

// StackTable is a list of stacks, each the varints of its location ids, leaf first.
type StackTable struct {
	pages [][]byte // whole stacks only, each after its length
	bytes int64
}

// stacksPage is how many bytes of stacks are freed together.
const stacksPage = 1 << 20

// Append adds a stack.
func (s *StackTable) Append(ids []byte) {
	need := len(ids) + binary.MaxVarintLen64
	if n := len(s.pages); n == 0 || cap(s.pages[n-1])-len(s.pages[n-1]) < need {
		s.pages = append(s.pages, make([]byte, 0, max(stacksPage, need)))
	}
	s.bytes += int64(len(ids))
	page := &s.pages[len(s.pages)-1]
	*page = append(binary.AppendUvarint(*page, uint64(len(ids))), ids...)
}

// Size returns the bytes of all ids together.
func (s *StackTable) Size() int64 { return s.bytes }

// Drain walks over all stacks once, and frees them on the way.
func (s *StackTable) Drain() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i, page := range s.pages {
			for len(page) > 0 {
				length, n := binary.Uvarint(page)
				end := n + int(length)
				if !yield(page[n:end]) {
					return
				}
				page = page[end:]
			}
			s.pages[i] = nil
		}
		s.pages = nil
	}
}

// Labelsets numbers distinct sets of labels; 0 is the empty set.
type Labelsets struct {
	known  map[string]uint32
	starts []uint32
	labels []Label
}

// Find returns the number of a set seen before under the same raw form.
func (l *Labelsets) Find(raw []byte) (uint32, bool) {
	n, ok := l.known[string(raw)]
	return n, ok
}

// Add numbers a new set. raw is any form in which it may be recognized again.
func (l *Labelsets) Add(raw []byte, labels []Label) uint32 {
	if l.known == nil {
		l.known = make(map[string]uint32)
		l.starts = []uint32{0, 0}
	}
	l.labels = append(l.labels, labels...)
	l.starts = append(l.starts, uint32(len(l.labels)))
	n := uint32(len(l.starts) - 2)
	l.known[string(raw)] = n
	return n
}

// Len returns the number of sets, the empty one included.
func (l *Labelsets) Len() int { return max(1, len(l.starts)-1) }

// Labels returns the number of labels in all sets together.
func (l *Labelsets) Labels() int { return len(l.labels) }

// At returns the labels of set n.
func (l *Labelsets) At(n uint32) []Label {
	if n == 0 {
		return nil
	}
	return l.labels[l.starts[n]:l.starts[n+1]]
}
