// Command slowpath-decode reads one uploaded file and writes one columnar
// file. It knows nothing of the server.
//
// Exit codes: 0 whole; 2 the input is bad, with one line of JSON on stderr;
// 64 wrong use; 70 a failure of ours.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"slowpath.dev/decode/internal/inputerror"
)

const (
	exitComplete = 0
	exitBadInput = 2
	exitUsage    = 64
	exitFailure  = 70
)

// streams are what a command talks to.
type streams struct{ out, err io.Writer }

// errUsage marks wrong use of the command line.
var errUsage = errors.New("wrong use")

var commands = map[string]func([]string, streams) error{
	"assembly":         assemblyCommand,
	"unpack":           unpackCommand,
	"buildinfo":        buildinfoCommand,
	"growth":           growthCommand,
	"bench":            benchCommand,
	"bench-compare":    benchCompareCommand,
	"trace":            traceCommand,
	"trace-excerpt":    traceExcerptCommand,
	"gap-explain":      gapExplainCommand,
	"spans":            spansCommand,
	"sniff":            sniffCommand,
	"profile":          profileCommand,
	"export":           exportCommand,
	"compare-binaries": compareBinariesCommand,
	"stack-sizes":      stackSizesCommand,
	"generate":         generateCommand,
	"version":          versionCommand,
	"binary":           binaryCommand,
}

func main() { os.Exit(run(os.Args[1:], streams{os.Stdout, os.Stderr})) }

func run(args []string, std streams) int {
	if len(args) == 0 || commands[args[0]] == nil {
		fmt.Fprintf(std.err, "usage: slowpath-decode %s [flags] ...\n", strings.Join(commandNames(), "|"))
		return exitUsage
	}
	err := commands[args[0]](args[1:], std)
	var bad *inputerror.InputError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitComplete
	case errors.As(err, &bad):
		fmt.Fprintf(std.err, "%s\n", bad.JSON())
		return exitBadInput
	case errors.Is(err, errUsage):
		fmt.Fprintln(std.err, "slowpath-decode:", err)
		return exitUsage
	}
	fmt.Fprintln(std.err, "slowpath-decode:", err)
	return exitFailure
}

func commandNames() []string {
	var names []string
	for name := range commands {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// newFlags makes a flag set that reports instead of exiting.
func newFlags(name, arguments string, std streams) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(std.err)
	flags.Usage = func() {
		fmt.Fprintf(std.err, "usage: slowpath-decode %s [flags] %s\n", name, arguments)
		flags.PrintDefaults()
	}
	return flags
}

// anyNumber lets a command take as many arguments as it likes.
const anyNumber = -1

// parse parses flags and checks how many arguments are left.
func parse(flags *flag.FlagSet, args []string, count int) error {
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	if count != anyNumber && flags.NArg() != count {
		return fmt.Errorf("%w: %s takes %d arguments, not %d", errUsage, flags.Name(), count, flags.NArg())
	}
	return nil
}
