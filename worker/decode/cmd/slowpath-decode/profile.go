package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/pprofread"
)

// gcPercent is low because nearly all memory is large arrays without pointers:
// collecting them early costs little time and saves much memory.
const gcPercent = 30

// limitFlags adds a flag for every limit.
func limitFlags(flags *flag.FlagSet, bounds *inputlimits.Limits) {
	for _, f := range []struct {
		value *int64
		name  string
		usage string
	}{
		{&bounds.Unpacked, "max-unpacked", "`bytes` after unpacking"},
		{&bounds.Ratio, "max-ratio", "unpacked bytes a packed byte may become, above the first 8 MiB"},
		{&bounds.Depth, "max-depth", "`frames` of one stack, inlined ones included"},
		{&bounds.Frames, "max-frames", "`frames` of all stacks together"},
		{&bounds.Nodes, "max-nodes", "`nodes` of one call tree"},
		{&bounds.Strings, "max-strings", "`bytes` of all names together"},
		{&bounds.Text, "max-text", "`bytes` of one name or label value; longer ones are cut there"},
		{&bounds.Samples, "max-samples", "samples in the file"},
		{&bounds.Locations, "max-locations", "locations in the file"},
		{&bounds.Functions, "max-functions", "functions in the file"},
		{&bounds.Legacy, "max-legacy", "`bytes` of a profile that is not protobuf"},
	} {
		flags.Int64Var(f.value, f.name, *f.value, f.usage)
	}
}

func profileCommand(args []string, std streams) error {
	flags := newFlags("profile", "IN OUT", std)
	options := calltree.Options{Limits: inputlimits.Default()}
	limitFlags(flags, &options.Limits)
	flags.StringVar(&options.FileName, "name", "", "the file's `name` as uploaded, a hint about its kind")
	flags.BoolVar(&options.AllowNegative, "allow-negative", false, "accept values below 0 in any profile")
	flags.BoolVar(&options.Brief, "brief", false, "leave out lines, and what only pictures need")
	memory := flags.Int64("memory", 0, "`bytes` of memory to stay below if possible (0: no limit)")
	if err := parse(flags, args, 2); err != nil {
		return err
	}
	debug.SetGCPercent(gcPercent)
	if *memory > 0 {
		debug.SetMemoryLimit(*memory)
	}
	file, err := pprofread.ReadFile(flags.Arg(0), options)
	if err != nil {
		return err
	}
	if options.Brief {
		return writeComplete(flags.Arg(1), file.WriteBrief)
	}
	return writeComplete(flags.Arg(1), file.Write)
}

// writeComplete writes a file so that it is there whole or not at all.
func writeComplete(path string, write func(io.Writer) error) error {
	part := path + ".part"
	out, err := os.Create(part)
	if err != nil {
		return fmt.Errorf("creating the output: %w", err)
	}
	buffered := bufio.NewWriterSize(out, 1<<20)
	err = errors.Join(write(buffered), buffered.Flush(), out.Close())
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing the output: %w", err), os.Remove(part))
	}
	return nil
}
