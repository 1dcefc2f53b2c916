package sniff

import (
	"encoding/binary"
	"regexp"
)

// legacyText are the beginnings of the profile formats before protobuf.
var legacyText = []struct {
	detail  string
	pattern *regexp.Regexp
}{
	{LegacyHeap, regexp.MustCompile(`^[^\n]*heap profile: *\d+: *\d+ *\[`)},
	{LegacyCount, regexp.MustCompile(`^(?:[ \t\r]*(?:#[^\n]*)?\n)*\S+ profile: total \d+`)},
	{LegacyContention, regexp.MustCompile(`^--- (?:contentionz |mutex:|contention:)`)},
	{LegacyJava, regexp.MustCompile(`^--- heapz 1 ---`)},
	{LegacyThread, regexp.MustCompile(`^(?:[ \t\r]*(?:#[^\n]*)?\n)*--- (?:threadz \d+ ---|Thread [[:xdigit:]]+ \(name)`)},
}

// The dialects before protobuf, as details of a finding.
const (
	LegacyCPU        = "legacy-cpu"
	LegacyHeap       = "legacy-heap"
	LegacyCount      = "legacy-count"
	LegacyContention = "legacy-contention"
	LegacyJava       = "legacy-java"
	LegacyThread     = "legacy-thread"
	Protobuf         = "protobuf"
)

// legacyDialect names the legacy profile format, or "".
func legacyDialect(head []byte) string {
	if isLegacyCPU(head) {
		return LegacyCPU
	}
	start := head[:min(len(head), 4<<10)]
	for _, dialect := range legacyText {
		if dialect.pattern.Match(start) {
			return dialect.detail
		}
	}
	return ""
}

// isLegacyCPU knows the binary format of gperftools: machine words 0, 3 (words
// that follow in the header), version 0 or 1 (Java), period in microseconds, 0.
func isLegacyCPU(head []byte) bool {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if len(head) >= 40 && isCPUHeader(func(i int) uint64 { return order.Uint64(head[8*i:]) }) {
			return true
		}
		if len(head) >= 20 && isCPUHeader(func(i int) uint64 { return uint64(order.Uint32(head[4*i:])) }) {
			return true
		}
	}
	return false
}

func isCPUHeader(word func(int) uint64) bool {
	return word(0) == 0 && word(1) == 3 && word(2) < 2 && word(3) > 0 && word(3) < 1<<32 && word(4) == 0
}

const (
	wireVarint = 0
	wireBytes  = 2
	// minFields is how many good fields make a profile even when a bad one
	// follows: then it is a damaged profile, and the reader reports where.
	minFields = 4
)

// profileFields returns the wire type of each field of profile.proto's Profile;
// -1 is either (a packed repeated number).
var profileFields = map[uint64]int{
	1: wireBytes, 2: wireBytes, 3: wireBytes, 4: wireBytes, 5: wireBytes, 6: wireBytes, 11: wireBytes,
	7: wireVarint, 8: wireVarint, 9: wireVarint, 10: wireVarint, 12: wireVarint, 14: wireVarint, 15: wireVarint, 13: -1,
}

// looksLikeProfileProto walks the fields of the outermost message.
func looksLikeProfileProto(head []byte, whole bool) bool {
	good, at := 0, 0
	for at < len(head) {
		tag, n := binary.Uvarint(head[at:])
		wireType, known := profileFields[tag>>3]
		if n <= 0 || !known || wireType >= 0 && wireType != int(tag&7) {
			return good >= minFields
		}
		at += n
		value, n := binary.Uvarint(head[at:])
		if n <= 0 {
			return good >= minFields || n == 0 && good > 0
		}
		at += n
		if tag&7 == wireBytes {
			if value > uint64(len(head)-at) { // cut by the window, or by the end of the file
				return good > 0 || !whole
			}
			if tag>>3 != 6 && tag>>3 != 13 && !isMessage(head[at:at+int(value)]) {
				return good >= minFields
			}
			at += int(value)
		}
		good++
	}
	return good > 0
}

// isMessage reports whether bytes are a well-formed protobuf message.
func isMessage(data []byte) bool {
	for len(data) > 0 {
		tag, n := binary.Uvarint(data)
		if n <= 0 || tag>>3 == 0 {
			return false
		}
		data = data[n:]
		skip := 0
		switch tag & 7 {
		case wireVarint:
			_, skip = binary.Uvarint(data)
		case 1:
			skip = 8
		case wireBytes:
			length, n := binary.Uvarint(data)
			if n <= 0 || length > uint64(len(data)-n) {
				return false
			}
			skip = n + int(length)
		case 5:
			skip = 4
		}
		if skip <= 0 || skip > len(data) {
			return false
		}
		data = data[skip:]
	}
	return true
}
