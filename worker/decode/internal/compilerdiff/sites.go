package compilerdiff

import (
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"slowpath.dev/decode/internal/gobinary"
	"slowpath.dev/decode/internal/profiletables"
	"slowpath.dev/decode/internal/symbolkey"
)

const (
	mostSites   = 1 << 20 // of the profiles of one side; stacks beyond are followed by names
	longestCall = 8       // bytes from a call to the address that profiles have for it
)

// site is where a function of recorded stacks was, with the functions that follow
// there. The root of all is before the first functions.
type site struct {
	pc      uint64 // of an instruction of the function that has the frame; 0 if unknown
	inlined bool   // in the frame of the function before it
	next    map[string][]*site
	count   int // of all sites, at the root
}

// frameSite is one function of a recorded stack.
type frameSite struct {
	name    string
	pc      uint64
	inlined bool
}

// add adds a stack, root first.
func (s *site) add(frames []frameSite) {
	at := s
	for _, frame := range frames {
		name := gobinary.Fold(frame.name)
		found := slices.IndexFunc(at.next[name], func(known *site) bool { return known.pc == frame.pc && known.inlined == frame.inlined })
		if found >= 0 {
			at = at.next[name][found]
			continue
		}
		if s.count == mostSites {
			return
		}
		s.count++
		if at.next == nil {
			at.next = map[string][]*site{}
		}
		added := &site{pc: frame.pc, inlined: frame.inlined}
		at.next[name] = append(at.next[name], added)
		at = added
	}
}

// following returns the sites of a function that follow; none at no site.
func (s *site) following(name string) []*site {
	if s == nil {
		return nil
	}
	return s.next[name]
}

// located returns the positions in whose functions the sites are, with them. If there
// are none, the positions remain as they are: names decide.
func located(p *gobinary.Program, positions []position, sites []*site) []position {
	var found []position
	for _, each := range positions {
		var here []*site
		for _, at := range sites {
			if at.pc == 0 || p.FunctionAt(at.pc) == int32(each.function) {
				here = append(here, at)
			}
		}
		if len(here) > 0 {
			each.sites = here
			found = append(found, each)
		}
	}
	if len(found) == 0 {
		return positions
	}
	return found
}

// fromSites goes one name further from the sites of a position, by the calls that
// were executing there.
func (j *projector) fromSites(from position, name string) []position {
	var next []position
	for _, at := range from.sites {
		following := at.following(name)
		if len(following) == 0 {
			continue
		}
		calls := callsAt(j.callsOf(from), at.pc)
		called := j.direct(from, calls, j.isNamed(name))
		if len(called) == 0 {
			called = j.beyond(from, calls, name)
		}
		nodes := j.children(from, name)
		for _, to := range following {
			reached := called
			if to.inlined {
				reached = nil
				if len(nodes) > 0 {
					reached = []position{{from.stackFrame, nodes, from.need, nil}}
				}
			}
			for _, each := range located(j.program, reached, []*site{to}) {
				if len(each.sites) > 0 {
					next = append(next, each)
				}
			}
		}
	}
	return merged(next)
}

// callsAt returns the call at an address that a profile has for it, all if the
// address is unknown.
func callsAt(calls []gobinary.Call, pc uint64) []gobinary.Call {
	if pc == 0 {
		return calls
	}
	after := sort.Search(len(calls), func(i int) bool { return calls[i].PC > pc })
	if after == 0 || pc-calls[after-1].PC >= longestCall {
		return nil
	}
	return calls[after-1 : after]
}

// AddAddresses adds where the stacks of a profile, as it was recorded, were executing.
// It reports whether the profile is of the program's build and has addresses.
func (s *StackSum) AddAddresses(t *profiletables.Table, p *gobinary.Program, isCandidate bool) (bool, error) {
	mappings, _ := mappingsOf(p, t)
	if len(mappings) == 0 {
		return false, nil
	}
	indexes, err := t.Check()
	if err != nil {
		return false, err
	}
	frames, hasAddresses := framesOfLocations(t, indexes, p, mappings)
	if !hasAddresses {
		return false, nil
	}
	side := 0
	if isCandidate {
		side = 1
	}
	if s.sites[side] == nil {
		s.sites[side] = &site{}
	}
	for stack := range t.Stacks.Drain() {
		if recorded := onStackSites(stackSites(stack, frames, indexes)); len(recorded) > 0 {
			s.sites[side].add(recorded)
		}
	}
	return true, nil
}

// addressed returns the sides with addresses.
func (s *StackSum) addressed() []string {
	sides := []string{}
	for side, name := range [2]string{"base", "candidate"} {
		if s.sites[side] != nil {
			sides = append(sides, name)
		}
	}
	return sides
}

// framesOfLocations returns the functions of each location, callers first.
func framesOfLocations(t *profiletables.Table, x *profiletables.Indexes, p *gobinary.Program, mappings map[uint64]profiletables.Mapping) (frames [][]frameSite, hasAddresses bool) {
	for location := range t.Locations.All() {
		var pc uint64
		if mapping, isOurs := mappings[location.Mapping]; isOurs && location.Address != 0 {
			if addr, ok := p.AddressOf(location.Address, mapping.Start, mapping.Offset); ok && p.FunctionAt(addr) >= 0 {
				pc, hasAddresses = addr, true
			}
		}
		found := make([]frameSite, 0, location.Lines)
		for i := int(location.Lines) - 1; i >= 0; i-- {
			position, _ := x.Functions.Find(t.Lines.At(int(location.FirstLine) + i).Function)
			found = append(found, frameSite{nameOf(t, position), pc, len(found) > 0})
		}
		if len(found) == 0 {
			found = append(found, frameSite{name: symbolkey.Unknown})
		}
		frames = append(frames, found)
	}
	return frames, hasAddresses
}

func nameOf(t *profiletables.Table, position int) string {
	f := t.Functions.At(position)
	if name := t.Strings.At(f.Name); len(name) > 0 {
		return string(name)
	}
	return string(t.Strings.At(f.System))
}

// stackSites returns the functions of a stack, root first; none if it is too deep
// or names a location that does not exist.
func stackSites(stack []byte, frames [][]frameSite, x *profiletables.Indexes) []frameSite {
	var locations []int
	for len(stack) > 0 {
		id, n := binary.Uvarint(stack)
		position, known := x.Locations.Find(id)
		if n <= 0 || !known || len(locations) == mostFrames {
			return nil
		}
		stack = stack[n:]
		locations = append(locations, position)
	}
	var found []frameSite
	for _, position := range slices.Backward(locations) {
		found = append(found, frames[position]...)
	}
	return found
}

// onStackSites returns what onStack does of the functions' names.
func onStackSites(frames []frameSite) []frameSite {
	names := make([]string, len(frames))
	for i, frame := range frames {
		names[i] = frame.name
	}
	count := len(onStack(names))
	if len(names) > 0 && strings.HasPrefix(names[0], "runtime.goexit") {
		frames = frames[1:]
	}
	return frames[:count]
}
