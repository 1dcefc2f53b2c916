package main

import (
	"encoding/json"
	"fmt"
	"runtime/debug"

	"slowpath.dev/decode/internal/compilerdiff"
	"slowpath.dev/decode/internal/gobinary"
)

// assemblyCommand prints as JSON the instructions of a function in one or two
// executables, with the samples of profiles as they were recorded.
func assemblyCommand(args []string, std streams) error {
	args, base, candidate := takeLists(args)
	flags := newFlags("assembly", "--function NAME [--base-binary FILE] --candidate-binary FILE [--base PROFILE...] [--candidate PROFILE...]", std)
	var binaries [2]string
	flags.StringVar(&binaries[0], "base-binary", "", "program of the base")
	flags.StringVar(&binaries[1], "candidate-binary", "", "program of the candidate, or the only one")
	function := flags.String("function", "", "`name` of the function, as profiles name it")
	var renamed [2]nameList
	flags.Var(&renamed[0], "renamed-from", "`function` of the base that has another name in the candidate; may be repeated")
	flags.Var(&renamed[1], "renamed-to", "its name there; once for each --renamed-from")
	memory := flags.Int64("memory", 0, "`bytes` of memory to stay below if possible (0: no limit)")
	if err := parse(flags, args, 0); err != nil {
		return err
	}
	if *function == "" || binaries[1] == "" || len(renamed[0]) != len(renamed[1]) {
		return fmt.Errorf("%w: assembly takes a function and a program", errUsage)
	}
	if *memory > 0 {
		debug.SetMemoryLimit(*memory)
	}
	var programs [2]*gobinary.Program
	for side, path := range binaries {
		if path == "" {
			continue
		}
		program, err := openProgram(path)
		if err != nil {
			return err
		}
		programs[side] = program
	}
	assembly, err := compilerdiff.Disassemble(programs[0], programs[1], *function, renames(renamed[0], renamed[1]), [2][]string{base, candidate})
	if err != nil {
		return err
	}
	return json.NewEncoder(std.out).Encode(assembly)
}

// renames returns pairs of names.
func renames(from, to []string) []compilerdiff.Rename {
	var found []compilerdiff.Rename
	for i := range from {
		found = append(found, compilerdiff.Rename{Base: from[i], Candidate: to[i]})
	}
	return found
}
