package blockedtime

import (
	"testing"

	"slowpath.dev/decode/internal/tracefile"
	"slowpath.dev/decode/internal/traceintern"
)

func TestTimesOfOneBlockAreOneCell(t *testing.T) {
	table := New()
	lock := Place{Group: 1, Reason: 7, Stack: 3, WakerGroup: 2, WakerStack: 4}
	send := Place{Group: 1, Reason: 8, Stack: 5, WakerGroup: tracefile.None}
	table.Add(lock, 10, 4)
	table.Add(send, 20, 5)
	table.Add(lock, 30, 6)
	table.Add(lock, tracefile.BlockNs, 7)
	want := []Cell{{0, 0, 2, 10}, {1, 0, 1, 5}, {0, 1, 1, 7}}
	if len(table.Cells) != len(want) {
		t.Fatalf("%v", table.Cells)
	}
	for i, cell := range want {
		if table.Cells[i] != cell {
			t.Errorf("cell %d is %v, want %v", i, table.Cells[i], cell)
		}
	}
}

func TestPlacesAreBounded(t *testing.T) {
	table := New()
	for stack := range uint32(3 * MaxPlaces) {
		table.Add(Place{Group: 5, Reason: uint8(stack % 2), Stack: stack}, 0, 1)
	}
	if len(table.Places) != MaxPlaces+2 { // and the rest, by reason
		t.Fatalf("%d places", len(table.Places))
	}
	last := table.Places[MaxPlaces]
	if last.Group != traceintern.Other || last.Stack != 0 || last.WakerGroup != tracefile.None {
		t.Errorf("the rest is %v", last)
	}
	total := int64(0)
	for _, cell := range table.Cells {
		total += cell.Ns
	}
	if total != 3*MaxPlaces {
		t.Errorf("%d ns", total)
	}
}
