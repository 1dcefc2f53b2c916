// Package calltree turns a profile as read into its decoded form: names into
// keys, locations into frames, stacks into two trees, samples into columns.
//
// The steps, each a pass over tables or nodes and never over the frames of all
// samples again:
//
//  1. the tree of locations is closed; locations, functions and texts that no
//     stack uses are left behind (dictionary.go);
//  2. stacks whose root side the profiler cut off are found (cut.go);
//  3. the tree of locations becomes the tree of (function, line), inlined
//     frames expanded, and that the tree of keys (trees.go);
//  4. both are put in preorder with ordered siblings (preorder.go);
//  5. samples that share stack and labels are merged (samples.go).
package calltree

import (
	"slowpath.dev/decode/internal/fault"
	"slowpath.dev/decode/internal/limits"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/stacks"
)

// Options are what the caller knows beside the profile.
type Options struct {
	Limits        limits.Limits
	FileName      string // as uploaded; a hint about the kind, may be empty
	AllowNegative bool   // accept negative values in any profile
	Source        profilefile.Source
}

// Build makes the decoded form of a table. The table is used up.
func Build(table *stacks.Table, options Options) (*profilefile.File, error) {
	indexes, err := table.Check()
	if err != nil {
		return nil, err
	}
	b := &builder{table: table, indexes: indexes, options: options, file: &profilefile.File{}}
	b.countSource()
	if b.file.Header.Counts.Samples == 0 {
		return nil, b.noSamples()
	}
	steps := []func() error{b.readDictionary, b.findCut, b.growTrees, b.orderTrees, b.mergeSamples, b.finishHeader}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return b.file, nil
}

// builder carries the state from step to step. Arrays are indexed by node in
// order of birth until orderTrees.
type builder struct {
	table   *stacks.Table
	indexes *stacks.Indexes
	options Options
	file    *profilefile.File
	header  headerTexts

	locationOf []uint32 // location tree: location of a node
	parentOf   []uint32 // location tree: parent of a node
	dictionary dictionary

	leafCut map[uint32]bool // leaves (nodes of the location tree) of cut stacks

	lineParent, lineFrame []uint32 // line tree
	lineOfNode            []uint32 // line node of a location node; None where only cut stacks pass
	lineOfCut             map[uint32]uint32
	nodeOfLine            []uint32 // key node of a line node
	nodeParent, nodeKey   []uint32 // key tree

	linePosition []uint32 // preorder position of a line node
}

func (b *builder) countSource() {
	t := b.table
	h := &b.file.Header
	h.Source = b.options.Source
	h.Warnings = []string{}
	h.Counts.Samples = int64(t.RowLeaf.Len())
	h.Counts.Locations = int64(t.Locations.Len())
	h.Counts.Functions = int64(t.Functions.Len())
	b.readHeaderTexts()
}

func (b *builder) warn(slug, sentence string) {
	h := &b.file.Header
	h.Warnings = append(h.Warnings, slug+": "+sentence)
}

func (b *builder) tooManyNodes(nodes int) error {
	limit := b.options.Limits.NodesFor(b.options.Source.BytesUnpacked)
	if int64(nodes) <= limit {
		return nil
	}
	return fault.New("too-many-nodes", "The call tree of this profile has more than %d nodes, more than its %d bytes can honestly hold. Take a shorter profile, or raise --max-nodes if you trust the file.", limit, b.options.Source.BytesUnpacked).
		WithLimit(limit, int64(nodes), "nodes")
}
