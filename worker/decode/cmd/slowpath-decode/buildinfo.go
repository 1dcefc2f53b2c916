package main

import (
	"encoding/json"
	"fmt"
	"os"

	"slowpath.dev/decode/internal/gobinary"
)

// buildinfoCommand prints as JSON what a Go program says of its build.
func buildinfoCommand(args []string, std streams) error {
	flags := newFlags("buildinfo", "FILE", std)
	if err := parse(flags, args, 1); err != nil {
		return err
	}
	in, err := os.Open(flags.Arg(0))
	if err != nil {
		return fmt.Errorf("opening the input: %w", err)
	}
	defer in.Close()
	built, err := gobinary.Read(in)
	if err != nil {
		return err
	}
	return json.NewEncoder(std.out).Encode(built)
}
