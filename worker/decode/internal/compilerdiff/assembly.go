package compilerdiff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"slowpath.dev/decode/internal/gobinary"
	"slowpath.dev/decode/internal/symbolkey"
)

const (
	// AssemblyVersion is the version of Assembly.
	AssemblyVersion  = 1
	mostInstructions = 4000 // of a function on one side
	mostCallers      = 20   // functions with an inlined one that are named
	longestText      = 300  // bytes of an instruction or a name; the rest is cut off
)

// Assembly is the code of a function in one or two builds. Rows align the
// instructions of both; of one build there are none.
type Assembly struct {
	Version   int      `json:"version"`
	Function  string   `json:"function"`
	Base      *Listing `json:"base"`
	Candidate *Listing `json:"candidate"`
	Rows      []Row    `json:"rows"`
}

// Row is one row of both sides: an instruction of either, or of both. Same is
// whether both have one operation and the same kinds of operands.
type Row struct {
	Base      *int `json:"base"`
	Candidate *int `json:"candidate"`
	Same      bool `json:"same"`
}

// Reasons why a side has no instructions.
const (
	MissingInlined = "inlined"
	MissingAbsent  = "absent"
)

// Listing is a function in one build. Files and Functions are tables that the
// instructions refer to; InlinedIn names functions that it is inlined in if it has no
// code itself.
type Listing struct {
	Build        Build         `json:"build"`
	Name         string        `json:"name"`
	StartLine    int32         `json:"start_line"`
	Size         uint32        `json:"size"`
	Frame        int32         `json:"frame"`
	Omitted      uint32        `json:"omitted"` // bytes behind the last instruction
	Missing      *string       `json:"missing"`
	InlinedIn    []string      `json:"inlined_in"`
	Files        []string      `json:"files"`
	Functions    []string      `json:"functions"` // inlined ones; the first is the function itself
	Samples      Samples       `json:"samples"`
	Instructions []Instruction `json:"instructions"`
}

// Instruction is one instruction of a listing; Call names what it calls.
type Instruction struct {
	Offset   uint32 `json:"offset"`
	Text     string `json:"text"`
	File     int    `json:"file"`
	Line     int32  `json:"line"`
	Function int    `json:"function"`
	Call     string `json:"call"`
	Self     int64  `json:"self"`
	Total    int64  `json:"total"`
}

// Disassemble returns the assembly of a function by its name in profiles, or by its
// key. Base may be nil. Renames are functions of both that are known to be one.
func Disassemble(base, candidate *gobinary.Program, name string, renames []Rename, profiles [2][]string) (*Assembly, error) {
	a := &Assembly{Version: AssemblyVersion, Function: name, Rows: []Row{}}
	ours, theirs := -1, largestOf(candidate, name)
	if base != nil {
		ours, theirs = findPair(base, candidate, name, renames)
	}
	var sequences [2][]aligned
	for side, program := range []*gobinary.Program{base, candidate} {
		if program == nil {
			continue
		}
		listing, sequence, err := list(program, []int{ours, theirs}[side], name)
		if err != nil {
			return nil, err
		}
		if err := listing.addSamples(program, []int{ours, theirs}[side], profiles[side]); err != nil {
			return nil, err
		}
		sequences[side] = sequence
		*[]**Listing{&a.Base, &a.Candidate}[side] = listing
	}
	if base != nil {
		a.Rows = align(sequences[0], sequences[1])
	}
	return a, nil
}

// largestOf returns the function with most code of those of a name or key, -1 for none.
func largestOf(p *gobinary.Program, name string) int {
	found := p.Find(name)
	if len(found) == 0 {
		for i := range p.Functions {
			if symbolkey.Key(p.Functions[i].Name) == name {
				found = append(found, i)
			}
		}
	}
	if len(found) == 0 {
		return -1
	}
	return slices.MaxFunc(found, func(a, b int) int { return cmp.Compare(p.Functions[a].Size, p.Functions[b].Size) })
}

// list returns the instructions of a function, and what of them is aligned.
func list(p *gobinary.Program, function int, name string) (*Listing, []aligned, error) {
	listing := &Listing{Build: buildOf(p), Name: name, InlinedIn: []string{}, Files: []string{}, Functions: []string{}, Instructions: []Instruction{}}
	if function < 0 {
		listing.findInlined(p, name)
		return listing, nil, nil
	}
	f := &p.Functions[function]
	listing.Name, listing.StartLine, listing.Size, listing.Frame = cut(f.Name), f.StartLine, f.Size, f.Frame
	found, rest, err := p.Disassemble(function, mostInstructions)
	if err != nil {
		return nil, nil, err
	}
	listing.Omitted = rest
	files, functions := map[string]int{}, map[string]int{gobinary.Fold(f.Name): 0}
	listing.Functions = append(listing.Functions, cut(gobinary.Fold(f.Name)))
	sequence := make([]aligned, len(found))
	for i, each := range found {
		origin, started := f.Name, f.StartLine
		if each.Inline >= 0 {
			origin, started = f.Inlined[each.Inline].Name, f.Inlined[each.Inline].StartLine
		}
		one := Instruction{
			Offset: each.Offset, Text: cut(each.Text), Line: each.Line,
			File: numberOf(files, &listing.Files, each.File), Function: numberOf(functions, &listing.Functions, gobinary.Fold(origin)),
		}
		if each.Target >= 0 {
			one.Call = cut(gobinary.Fold(p.Functions[each.Target].Name))
			each.Shape = each.Op + " " + matchKey(p.Functions[each.Target].Name)
		}
		listing.Instructions = append(listing.Instructions, one)
		sequence[i] = aligned{each.Op, each.Shape, each.Text, fmt.Sprintf("%s:%d", matchKey(origin), each.Line-started)}
	}
	return listing, sequence, nil
}

// numberOf returns the index of a text in a table, where it is added if it is new.
func numberOf(known map[string]int, table *[]string, text string) int {
	number, ok := known[text]
	if !ok {
		number = len(*table)
		known[text] = number
		*table = append(*table, cut(text))
	}
	return number
}

func cut(text string) string {
	if len(text) <= longestText {
		return text
	}
	return strings.ToValidUTF8(text[:longestText], "") + "…"
}

// findInlined states why a function has no code: every call of it is inlined, or the
// executable does not have it.
func (l *Listing) findInlined(p *gobinary.Program, name string) {
	reason := MissingAbsent
	folded := gobinary.Fold(name)
	for i := range p.Functions {
		if slices.ContainsFunc(p.Functions[i].Inlined, func(node gobinary.InlinedFunction) bool {
			return gobinary.Fold(node.Name) == folded || strings.Contains(node.Name, ".func") && symbolkey.Key(node.Name) == name
		}) {
			reason = MissingInlined
			if len(l.InlinedIn) < mostCallers {
				l.InlinedIn = append(l.InlinedIn, cut(gobinary.Fold(p.Functions[i].Name)))
			}
		}
	}
	l.Missing = &reason
}
