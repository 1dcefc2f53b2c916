// Command slowpath-decode turns one uploaded file into one columnar file.
//
// Exit codes: 0 whole; 2 the input is bad, with one JSON line on stderr;
// anything else is our own failure.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/fault"
	"slowpath.dev/decode/internal/limits"
	"slowpath.dev/decode/internal/pprofdoc"
	"slowpath.dev/decode/internal/sniff"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	if len(args) == 0 {
		return 64
	}
	command := map[string]func([]string) error{"profile": profileCommand, "sniff": sniffCommand}[args[0]]
	if command == nil {
		return 64
	}
	err := command(args[1:])
	var bad *fault.Fault
	switch {
	case err == nil:
		return 0
	case errors.As(err, &bad):
		fmt.Fprintf(os.Stderr, "%s\n", bad.JSON())
		return 2
	}
	fmt.Fprintln(os.Stderr, "slowpath-decode:", err)
	return 70
}

func profileCommand(args []string) error {
	flags := flag.NewFlagSet("profile", flag.ContinueOnError)
	options := calltree.Options{Limits: limits.Default()}
	flags.StringVar(&options.FileName, "name", "", "file name as uploaded")
	flags.Int64Var(&options.Limits.Unpacked, "max-unpacked", options.Limits.Unpacked, "bytes")
	flags.Int64Var(&options.Limits.Depth, "max-depth", options.Limits.Depth, "frames")
	flags.Int64Var(&options.Limits.Nodes, "max-nodes", options.Limits.Nodes, "nodes")
	flags.Int64Var(&options.Limits.Strings, "max-strings", options.Limits.Strings, "bytes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	file, err := pprofdoc.Read(flags.Arg(0), options)
	if err != nil {
		return err
	}
	out, err := os.Create(flags.Arg(1))
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 1<<20)
	if err := errors.Join(file.Write(w), w.Flush(), out.Close()); err != nil {
		return err
	}
	return nil
}

func sniffCommand(args []string) error {
	in, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer in.Close()
	finding, err := sniff.Read(in)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(finding)
}
