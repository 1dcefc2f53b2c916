package main

import (
	"runtime/debug"

	"slowpath.dev/decode/internal/spanread"
)

// spansGCPercent trades memory for speed: what is read stays until the end.
const spansGCPercent = 100

// spansCommand decodes distributed traces.
//
//	spans [limits] [--memory BYTES] IN OUT
func spansCommand(args []string, std streams) error {
	flags := newFlags("spans", "IN OUT", std)
	options := spanread.DefaultOptions()
	set := &options.Set
	flags.Int64Var(&options.Unpacked, "max-unpacked", options.Unpacked, "`bytes` after unpacking")
	flags.Int64Var(&options.Ratio, "max-ratio", options.Ratio, "unpacked bytes a packed byte may become, above the first 8 MiB")
	flags.Int64Var(&set.Spans, "max-spans", set.Spans, "spans in the file")
	flags.Int64Var(&set.Depth, "max-depth", set.Depth, "nested spans, 65,535 at most")
	flags.Int64Var(&set.Strings, "max-strings", set.Strings, "`bytes` of all distinct texts together")
	flags.Int64Var(&set.Attributes, "max-attributes", set.Attributes, "attributes of all spans together")
	memory := flags.Int64("memory", 0, "`bytes` of memory to stay below if possible (0: no limit)")
	if err := parse(flags, args, 2); err != nil {
		return err
	}
	debug.SetGCPercent(spansGCPercent)
	if *memory > 0 {
		debug.SetMemoryLimit(*memory)
	}
	set.Depth = min(set.Depth, 1<<16-1)
	file, err := spanread.ReadFile(flags.Arg(0), options)
	if err != nil {
		return err
	}
	return writeComplete(flags.Arg(1), file.Write)
}
