package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"slowpath.dev/decode/internal/compilerdiff"
	"slowpath.dev/decode/internal/gobinary"
	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/inputlimits"
	"slowpath.dev/decode/internal/pprofread"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/slowcol"
)

// nameList is a flag that may be repeated.
type nameList []string

func (l *nameList) String() string { return fmt.Sprint(*l) }

func (l *nameList) Set(name string) error {
	*l = append(*l, name)
	return nil
}

// compareBinariesCommand prints as JSON what the compiler did differently in
// two builds, in the functions on the stacks of decoded profiles.
func compareBinariesCommand(args []string, std streams) error {
	args, base, candidate := takeLists(args)
	flags := newFlags("compare-binaries", "--base PROFILE... --candidate PROFILE... --base-binary FILE --candidate-binary FILE", std)
	var binaries [2]string
	flags.StringVar(&binaries[0], "base-binary", "", "program of the base")
	flags.StringVar(&binaries[1], "candidate-binary", "", "program of the candidate")
	var profiles [2]string
	flags.StringVar(&profiles[0], "base-pgo-sha256", "", "`digest` of the PGO profile that the program of the base was built with, if it is known")
	flags.StringVar(&profiles[1], "candidate-pgo-sha256", "", "the same of the candidate")
	var regressed nameList
	flags.Var(&regressed, "function", "compare only stacks with this `function`; may be repeated")
	var recorded [2]nameList
	flags.Var(&recorded[0], "base-addresses", "`profile` of the base as it was recorded, for the addresses of its stacks; may be repeated")
	flags.Var(&recorded[1], "candidate-addresses", "the same of the candidate")
	kind := flags.String("kind", "", "use only profiles of this `kind`")
	memory := flags.Int64("memory", 0, "`bytes` of memory to stay below if possible (0: no limit)")
	if err := parse(flags, args, 0); err != nil {
		return err
	}
	if binaries[0] == "" || binaries[1] == "" || len(base)+len(candidate) == 0 {
		return fmt.Errorf("%w: compare-binaries takes both programs, and decoded profiles of one side or both", errUsage)
	}
	if *memory > 0 {
		debug.SetMemoryLimit(*memory)
	}
	sum := compilerdiff.NewStackSum(regressed)
	for side, paths := range [][]string{base, candidate} {
		for _, path := range paths {
			if err := addStacks(sum, path, *kind, side == 1); err != nil {
				return err
			}
		}
	}
	var programs [2]*gobinary.Program
	for side, path := range binaries {
		program, err := openProgram(path)
		if err != nil {
			return err
		}
		program.PGOSHA256 = profiles[side]
		programs[side] = program
		if err := addAddresses(sum, program, recorded[side], side == 1); err != nil {
			return err
		}
	}
	report, err := compilerdiff.CompareProfiles(programs[0], programs[1], sum)
	if err != nil {
		return err
	}
	return json.NewEncoder(std.out).Encode(report)
}

// openProgram reads an executable, or the columns of one.
func openProgram(path string) (*gobinary.Program, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening a program: %w", err)
	}
	defer file.Close()
	if slowcol.IsContainer(file) {
		return gobinary.LoadFile(path)
	}
	return gobinary.Open(path, gobinary.DefaultLimits())
}

func addStacks(sum *compilerdiff.StackSum, path, kind string, isCandidate bool) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading a decoded profile: %w", err)
	}
	file, err := profilefile.Read(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if kind != "" && file.Header.Kind != kind {
		return nil
	}
	return sum.Add(file, isCandidate)
}

// addAddresses adds the addresses of profiles as they were recorded. Files that are
// no profiles have none.
func addAddresses(sum *compilerdiff.StackSum, program *gobinary.Program, paths []string, isCandidate bool) error {
	for _, path := range paths {
		table, err := pprofread.ReadTable(path, inputlimits.Default())
		if err == nil {
			_, err = sum.AddAddresses(table, program, isCandidate)
		}
		if _, isOther := errors.AsType[*inputerror.InputError](err); err != nil && !isOther {
			return err
		}
	}
	return nil
}

// stackSizesCommand prints as JSON what the hot paths of decoded profiles need
// of the stacks of a build.
func stackSizesCommand(args []string, std streams) error {
	flags := newFlags("stack-sizes", "--binary FILE PROFILE...", std)
	binary := flags.String("binary", "", "program that the profiles are of")
	var recorded nameList
	flags.Var(&recorded, "addresses", "`profile` as it was recorded, for the addresses of its stacks; may be repeated")
	kind := flags.String("kind", "", "use only profiles of this `kind`")
	memory := flags.Int64("memory", 0, "`bytes` of memory to stay below if possible (0: no limit)")
	if err := parse(flags, args, anyNumber); err != nil {
		return err
	}
	if *binary == "" || flags.NArg() == 0 {
		return fmt.Errorf("%w: stack-sizes takes a program and decoded profiles", errUsage)
	}
	if *memory > 0 {
		debug.SetMemoryLimit(*memory)
	}
	sum := compilerdiff.NewStackSum(nil)
	for _, path := range flags.Args() {
		if err := addStacks(sum, path, *kind, false); err != nil {
			return err
		}
	}
	program, err := openProgram(*binary)
	if err != nil {
		return err
	}
	if err := addAddresses(sum, program, recorded, false); err != nil {
		return err
	}
	return json.NewEncoder(std.out).Encode(compilerdiff.Measure(program, sum))
}
