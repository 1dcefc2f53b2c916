package main

import (
	"encoding/json"
	"fmt"
	"os"

	"slowpath.dev/decode/internal/gobuildinfo"
)

// buildinfoCommand prints as JSON the build information of a Go program.
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
	built, err := gobuildinfo.Read(in)
	if err != nil {
		return err
	}
	return json.NewEncoder(std.out).Encode(built)
}
