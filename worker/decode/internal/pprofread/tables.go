package pprofread

import (
	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/profiletables"
)

func readValueType(data []byte, start int64) (v profiletables.ValueType, err error) {
	m := message{rest: data}
	for m.next() {
		switch m.number {
		case 1:
			v.Type = m.signed()
		case 2:
			v.Unit = m.signed()
		}
	}
	return v, m.fault(start)
}

// inputErr is what went wrong on the way through a message, or nil.
func (m *message) fault(start int64) error {
	if m.problem == "" {
		return nil
	}
	return malformed(m.problem, start)
}

// checkID refuses the reserved id at once, so that a file of empty entries
// ends at its first.
func checkID(what string, id uint64, start int64) error {
	if id != 0 {
		return nil
	}
	return inputerror.New("zero-id", "The profile has a %s with the reserved id 0. It was written by a broken program: record the profile again.", what).WithLimit(1, 0, "id").AtOffset(start)
}

func (d *decoder) readFunction(data []byte, start int64) error {
	var f profiletables.Function
	m := message{rest: data}
	for m.next() {
		switch m.number {
		case 1:
			f.ID = m.unsigned()
		case 2:
			f.Name = m.signed()
		case 3:
			f.System = m.signed()
		case 4:
			f.File = m.signed()
		case 5:
			f.StartLine = m.signed()
		}
	}
	d.table.Functions.Append(f)
	return firstError(m.fault(start), checkID("function", f.ID, start), tooMany("functions", int64(d.table.Functions.Len()), d.limits.Functions, start))
}

func (d *decoder) readMapping(data []byte, start int64) error {
	var x profiletables.Mapping
	m := message{rest: data}
	for m.next() {
		switch m.number {
		case 1:
			x.ID = m.unsigned()
		case 2:
			x.Start = m.unsigned()
		case 4:
			x.Offset = m.unsigned()
		case 3, 7, 8, 9, 10: // end and flags: only their type is checked
			m.unsigned()
		case 5:
			x.File = m.signed()
		case 6:
			x.BuildID = m.signed()
		}
	}
	d.table.Mappings = append(d.table.Mappings, x)
	return firstError(m.fault(start), checkID("mapping", x.ID, start), tooMany("mappings", int64(len(d.table.Mappings)), maxSmall, start))
}

// readLocation takes a location and its frames, callee first.
func (d *decoder) readLocation(data []byte, start int64) error {
	t := d.table
	location := profiletables.Location{FirstLine: uint32(t.Lines.Len())}
	m := message{rest: data}
	for m.next() {
		switch m.number {
		case 1:
			location.ID = m.unsigned()
		case 2:
			location.Mapping = m.unsigned()
		case 3:
			location.Address = m.unsigned()
		case 5: // is_folded
			m.unsigned()
		case 4:
			line, problem := readLine(m.bytes())
			if problem != "" {
				m.problem = problem
			}
			t.Lines.Append(line)
			location.Lines++
		}
	}
	t.Locations.Append(location)
	return firstError(m.fault(start), checkID("location", location.ID, start), tooMany("locations", int64(t.Locations.Len()), d.limits.Locations, start),
		d.checkInlined(int64(location.Lines), start))
}

func (d *decoder) checkInlined(lines, start int64) error {
	if lines > d.limits.Depth {
		return tooDeep(d.limits.Depth, lines, start)
	}
	return nil
}

func readLine(data []byte) (line profiletables.Line, problem string) {
	m := message{rest: data}
	for m.next() {
		switch m.number {
		case 1:
			line.Function = m.unsigned()
		case 2:
			line.Line = m.signed()
		case 3: // column
			m.unsigned()
		}
	}
	return line, m.problem
}

// comments takes a packed list of string numbers.
func (d *decoder) comments(data []byte, start int64) error {
	for len(data) > 0 {
		value, n := varint(data)
		if n == 0 {
			return malformed(varintProblem, start)
		}
		d.table.Comments = append(d.table.Comments, int64(value))
		if err := tooMany("comments", int64(len(d.table.Comments)), maxSmall, start); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}
