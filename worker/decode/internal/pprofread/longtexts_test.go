package pprofread

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// referredTo makes a profile with a text of so many bytes, and samples that
// each refer to it in one way: 2 is a label's value, 3 its key, 4 its unit, and
// 5 the name of the function.
func referredTo(length, samples int, way byte) []byte {
	const long = 3 // its number
	parts := [][]byte{block(6, bytes.Repeat([]byte("é"), length/2)...), block(4, 8, 1, 34, 2, 8, 1)}
	name := byte(1)
	if way == 5 {
		name = long
	}
	parts = append(parts, block(5, 8, 1, 16, name))
	for i := range samples {
		label := map[byte][]byte{
			2: {26, 4, 8, 1, 16, long}, 3: {26, 4, 8, long, 24, byte(i + 1)}, 4: {26, 6, 8, 1, 24, byte(i + 1), 32, long},
		}[way]
		parts = append(parts, block(2, append([]byte{8, 1, 16, 1}, label...)...))
	}
	return proto(parts...)
}

// A text is cut at the limit, at the end of a character, with a mark; the
// reader of the file is notified.
func TestLongTextsAreCut(t *testing.T) {
	for way, most := range map[byte]int{2: 1, 3: 2, 4: 2, 5: 1} {
		o := options()
		o.Limits.Text = 101 // in the middle of a character
		file, err := Read(bytes.NewReader(referredTo(100_000, 3, way)), o)
		if err != nil {
			t.Fatal(way, err)
		}
		if len(file.StringsBytes) > most*200 || !utf8.Valid(file.StringsBytes) || !bytes.Contains(file.StringsBytes, []byte("éé (cut)")) {
			t.Errorf("%d: %d bytes, %.200q", way, len(file.StringsBytes), file.StringsBytes)
		}
		if len(file.Header.Warnings) == 0 || !strings.HasPrefix(file.Header.Warnings[0], "long-names: 1 name or label value is longer than 101 bytes") {
			t.Error(way, file.Header.Warnings)
		}
	}
}

func TestTextsAtTheLimitStayWhole(t *testing.T) {
	o := options()
	o.Limits.Text = 100
	file, err := Read(bytes.NewReader(referredTo(100, 1, 5)), o)
	if err != nil || bytes.Contains(file.StringsBytes, []byte(" (cut)")) || len(file.Header.Warnings) > 0 {
		t.Error(err, file)
	}
}

// Numbers that each carry a long unit are refused before they are written out.
func TestManyNumbersWithALongUnit(t *testing.T) {
	o := options()
	o.Limits.Strings = 10_100
	_, err := Read(bytes.NewReader(referredTo(10_000, 100, 4)), o)
	if err == nil || !strings.Contains(err.Error(), "--max-strings") {
		t.Error(err)
	}
}

func TestAHeaderThatRepeatsALongText(t *testing.T) {
	data := referredTo(60_000, 1, 5)
	for range 300 {
		data = append(data, key(13, 0)...)
		data = append(data, 3)
	}
	if _, err := Read(bytes.NewReader(data), options()); err == nil || !strings.Contains(err.Error(), "Comments") {
		t.Error(err)
	}
}
