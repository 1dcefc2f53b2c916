// Package calltree turns a profile as read into its decoded form: names into
// keys, locations into frames, stacks into two trees, samples into columns.
//
// The tree is never searched. Once every frame has a number that orders as the
// frames do, a stack is a word over that alphabet, and the tree of all stacks
// in preorder is the sorted list of words without what each shares with the one
// before. The steps:
//
//  1. frames are numbered in order (dictionary.go);
//  2. stacks become words, several frames to 64 bits (pack.go);
//  3. stacks whose root side the profiler cut off get one more frame at the
//     root (cut.go);
//  4. words are sorted (sort.go);
//  5. the tree of (function, line) and the samples are read off (lines.go);
//  6. functions and texts that no stack uses are left behind (compact.go);
//  7. the tree of lines is folded into the tree of keys (keys.go);
//  8. what comparisons ask for first is added up (summary.go).
package calltree

import (
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/profiletables"
)

// Options are what the caller knows beside the profile.
type Options struct {
	Limits        inputlimits.Limits
	FileName      string // as uploaded; a hint about the kind, may be empty
	Kind          string // when the reader knows it; else it is found out
	AllowNegative bool   // accept negative values in any profile
	RefuseBadText bool   // refuse names that are not UTF-8; else they are repaired
	Brief         bool   // lines are of no interest: all of a function's are one, and columns of lines may be missing
	Source        profilefile.Source
}

// Build makes the decoded form of a table. The table is used up. Errors are
// faults of the input.
func Build(table *profiletables.Table, options Options) (*profilefile.File, error) {
	indexes, err := table.Check()
	if err != nil {
		return nil, err
	}
	b := &builder{table: table, indexes: indexes, options: options, file: &profilefile.File{}}
	if err := b.readHeader(); err != nil {
		return nil, err
	}
	if b.file.Header.Counts.Samples == 0 {
		return nil, b.noSamples()
	}
	if err := b.readDictionary(); err != nil {
		return nil, err
	}
	if err := b.checkTexts(); err != nil {
		return nil, err
	}
	for _, step := range []func() error{b.packStacks, b.findTruncated, b.growLines} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	b.compact()
	if !b.options.Brief {
		b.summarizeLines()
		b.summarizeInlined()
	}
	b.growKeys()
	b.summarizeStacks()
	b.summarizeLabels()
	return b.file, b.finishHeader()
}

// builder carries the state from step to step.
type builder struct {
	table   *profiletables.Table
	indexes *profiletables.Indexes
	options Options
	file    *profilefile.File

	defaultSampleType string
	dictionary        dictionary
	words             words
	rows              []row
	truncatedRow      map[uint32]bool // samples whose stack was cut

	lineFrame []uint32 // frame of every line node, in preorder
	lineSize  []uint32 // size of every line node's subtree
	nodeSize  []uint32 // the same of key nodes

	sampleDepth []uint32 // frames of every sample
}

const none = profilefile.None
