package main

import (
	"io"
	"runtime/debug"

	"slowpath.dev/decode/internal/gobinary"
)

// binaryCommand decodes the functions, inline trees and calls of a Go executable.
func binaryCommand(args []string, std streams) error {
	flags := newFlags("binary", "IN OUT", std)
	limits := gobinary.DefaultLimits()
	flags.Int64Var(&limits.Loaded, "max-unpacked", limits.Loaded, "`bytes` of the segments that are loaded")
	flags.Int64Var(&limits.Functions, "max-functions", limits.Functions, "functions of the executable")
	flags.Int64Var(&limits.Inlined, "max-inlined", limits.Inlined, "entries of all inline trees together")
	flags.Int64Var(&limits.Strings, "max-strings", limits.Strings, "`bytes` of all names together")
	memory := flags.Int64("memory", 0, "`bytes` of memory to stay below if possible (0: no limit)")
	if err := parse(flags, args, 2); err != nil {
		return err
	}
	debug.SetGCPercent(gcPercent)
	if *memory > 0 {
		debug.SetMemoryLimit(*memory)
	}
	program, err := gobinary.Open(flags.Arg(0), limits)
	if err != nil {
		return err
	}
	return writeComplete(flags.Arg(1), func(w io.Writer) error { return program.Write(w, limits) })
}
