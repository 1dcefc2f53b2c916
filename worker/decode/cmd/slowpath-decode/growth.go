package main

import (
	"runtime/debug"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/growthlog"
	"slowpath.dev/decode/internal/inputlimits"
)

// growthCommand decodes a stack-growth log into a profile of kind "growth".
func growthCommand(args []string, std streams) error {
	flags := newFlags("growth", "IN OUT", std)
	options := calltree.Options{Limits: inputlimits.Default()}
	limitFlags(flags, &options.Limits)
	memory := flags.Int64("memory", 0, "`bytes` of memory to stay below if possible (0: no limit)")
	if err := parse(flags, args, 2); err != nil {
		return err
	}
	debug.SetGCPercent(gcPercent)
	if *memory > 0 {
		debug.SetMemoryLimit(*memory)
	}
	file, err := growthlog.ReadFile(flags.Arg(0), options)
	if err != nil {
		return err
	}
	return writeComplete(flags.Arg(1), file.Write)
}
