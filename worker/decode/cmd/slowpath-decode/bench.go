package main

import (
	"encoding/json"
	"fmt"

	"slowpath.dev/decode/internal/benchcompare"
	"slowpath.dev/decode/internal/benchfile"
	"slowpath.dev/decode/internal/inputlimits"
)

// benchCommand decodes the output of Go benchmarks.
func benchCommand(args []string, std streams) error {
	flags := newFlags("bench", "IN OUT", std)
	bounds := inputlimits.Default()
	limitFlags(flags, &bounds)
	if err := parse(flags, args, 2); err != nil {
		return err
	}
	set, err := benchfile.ReadFile(flags.Arg(0), bounds)
	if err != nil {
		return err
	}
	return writeComplete(flags.Arg(1), set.Write)
}

// benchCompareCommand compares benchmarks, decoded or as printed, and prints
// one JSON object.
func benchCompareCommand(args []string, std streams) error {
	args, base, candidate := takeLists(args)
	flags := newFlags("bench-compare", "--base FILE... --candidate FILE...", std)
	bounds := inputlimits.Default()
	limitFlags(flags, &bounds)
	if err := parse(flags, args, 0); err != nil {
		return err
	}
	if len(base) == 0 || len(candidate) == 0 {
		return fmt.Errorf("%w: bench-compare takes --base FILE... and --candidate FILE...", errUsage)
	}
	var sides [2][]*benchfile.Set
	for i, paths := range [][]string{base, candidate} {
		for _, path := range paths {
			set, err := benchfile.ReadFile(path, bounds)
			if err != nil {
				return err
			}
			sides[i] = append(sides[i], set)
		}
	}
	return json.NewEncoder(std.out).Encode(benchcompare.Compare(sides[0], sides[1]))
}
