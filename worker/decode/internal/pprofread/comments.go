package pprofread

import (
	"bytes"
	"strconv"

	"github.com/google/pprof/profile"
)

// Go's text profiles (?debug=1) name the frames of every stack in comments
// behind it, which github.com/google/pprof passes over:
//
//	1 @ 0x448af1 0x6b3451
//	#	0x6b3450	runtime/pprof.writeRuntimeProfile+0xb0	/src/pprof.go:851
//
// Frames inlined into one another share an address and come callee first.

// commentFrame is one such line.
type commentFrame struct {
	address uint64
	name    string
	file    string
	line    int64
}

// nameFromComments returns locations without lines those that comments name, so
// that the text decodes to the same as the profile in protobuf.
func nameFromComments(p *profile.Profile, data []byte) {
	byAddress := framesByAddress(data)
	if len(byAddress) == 0 {
		return
	}
	type key struct{ name, file string }
	functions := map[key]*profile.Function{}
	for _, location := range p.Location {
		if len(location.Line) > 0 {
			continue
		}
		for _, frame := range byAddress[location.Address] {
			k := key{frame.name, frame.file}
			if functions[k] == nil {
				functions[k] = &profile.Function{ID: uint64(len(p.Function) + 1), Name: frame.name, SystemName: frame.name, Filename: frame.file}
				p.Function = append(p.Function, functions[k])
			}
			location.Line = append(location.Line, profile.Line{Function: functions[k], Line: frame.line})
		}
	}
	dropGoexit(p)
}

// dropGoexit takes away the frame at which all goroutines end, runtime.goexit:
// comments leave it out, and so do profiles in protobuf. It is the one address
// without a name at the root of every stack.
func dropGoexit(p *profile.Profile) {
	var root *profile.Location
	for _, s := range p.Sample {
		if len(s.Location) < 2 {
			return
		}
		last := s.Location[len(s.Location)-1]
		if len(last.Line) > 0 || root != nil && last != root {
			return
		}
		root = last
	}
	for _, s := range p.Sample {
		s.Location = s.Location[:len(s.Location)-1]
	}
}

// framesByAddress gathers the frames of each address from the first stack that
// has it.
func framesByAddress(data []byte) map[uint64][]commentFrame {
	known := map[uint64][]commentFrame{}
	var stack []commentFrame
	end := func() {
		fresh := map[uint64]bool{}
		for _, frame := range stack {
			if known[frame.address] == nil || fresh[frame.address] {
				fresh[frame.address] = true
				known[frame.address] = append(known[frame.address], frame)
			}
		}
		stack = stack[:0]
	}
	for line := range bytes.Lines(data) {
		if frame, ok := parseComment(line); ok {
			stack = append(stack, frame)
		} else {
			end()
		}
	}
	end()
	return known
}

// parseComment reads one line; tabs separate its parts, one or more.
func parseComment(line []byte) (frame commentFrame, ok bool) {
	if !bytes.HasPrefix(line, []byte("#\t0x")) {
		return frame, false
	}
	parts := bytes.FieldsFunc(bytes.TrimSpace(line), func(r rune) bool { return r == '\t' })
	if len(parts) != 4 {
		return frame, false
	}
	address, err := strconv.ParseUint(string(parts[1]), 0, 64)
	name, _, _ := cutLast(parts[2], "+0x")
	file, number, found := cutLast(parts[3], ":")
	n, numberErr := strconv.ParseInt(string(number), 10, 32)
	if err != nil || !found || numberErr != nil || len(name) == 0 {
		return frame, false
	}
	return commentFrame{address, string(name), string(file), n}, true
}

// cutLast cuts around the last separator.
func cutLast(text []byte, separator string) (before, after []byte, found bool) {
	at := bytes.LastIndex(text, []byte(separator))
	if at < 0 {
		return text, nil, false
	}
	return text[:at], text[at+len(separator):], true
}
