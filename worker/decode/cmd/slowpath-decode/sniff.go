package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/klauspost/compress/gzip"

	"slowpath.dev/decode/internal/benchfile"
	"slowpath.dev/decode/internal/gobinary"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/profilegen"
	"slowpath.dev/decode/internal/sniff"
	"slowpath.dev/decode/internal/spanset"
	"slowpath.dev/decode/internal/tracefile"
)

func sniffCommand(args []string, std streams) error {
	flags := newFlags("sniff", "FILE", std)
	if err := parse(flags, args, 1); err != nil {
		return err
	}
	in, err := os.Open(flags.Arg(0))
	if err != nil {
		return fmt.Errorf("opening the input: %w", err)
	}
	defer in.Close()
	finding, err := sniff.Read(in)
	if err != nil {
		return err
	}
	return json.NewEncoder(std.out).Encode(finding)
}

// helperVersion changes when the same input produces other output.
const helperVersion = "1.2.0"

func versionCommand(args []string, std streams) error {
	flags := newFlags("version", "", std)
	if err := parse(flags, args, 0); err != nil {
		return err
	}
	return json.NewEncoder(std.out).Encode(map[string]any{
		"version": helperVersion,
		"go":      runtime.Version(),
		"formats": map[string]int{profilefile.Format: profilefile.Version, gobinary.Format: gobinary.Version, benchfile.Format: benchfile.Version, tracefile.Format: tracefile.Version, spanset.Format: spanset.Version},
	})
}

func generateCommand(args []string, std streams) error {
	flags := newFlags("generate", "OUT.pb.gz", std)
	var shape profilegen.ProfileShape
	flags.Uint64Var(&shape.Seed, "seed", 1, "the same seed gives the same call graph and samples")
	flags.IntVar(&shape.Samples, "samples", 10_000, "samples to write")
	flags.IntVar(&shape.Functions, "functions", 4_000, "functions of the program")
	flags.IntVar(&shape.Depth, "depth", 60, "frames of the deepest stack")
	flags.IntVar(&shape.Slower, "slower", 0, "percent by which some functions are slower")
	flags.IntVar(&shape.Recursive, "recursive", 0, "percent of calls that go back to a function on the stack")
	flags.IntVar(&shape.Branching, "branching", 0, "percent of calls that leave the common path at any level")
	flags.IntVar(&shape.Labels, "labels", 0, "values of a label that every sample has one of")
	flags.IntVar(&shape.Lines, "lines", 0, "lines of a function that call something (0: three)")
	flags.Uint64Var(&shape.Draw, "draw", 0, "another draw of samples from the same call graph")
	flags.BoolVar(&shape.Pool, "pool", false, "all draws have the same stacks, only their values differ")
	if err := parse(flags, args, 1); err != nil {
		return err
	}
	return writeComplete(flags.Arg(0), func(w io.Writer) error { return generateGzip(w, shape) })
}

func generateGzip(w io.Writer, shape profilegen.ProfileShape) error {
	packed := gzip.NewWriter(w)
	if err := profilegen.Write(packed, shape); err != nil {
		return err
	}
	return packed.Close()
}
