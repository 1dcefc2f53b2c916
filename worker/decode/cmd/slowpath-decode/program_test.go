package main

import (
	"os"
	"testing"
)

// asProgram makes the test's own binary the program.
const asProgram = "SLOWPATH_DECODE_ARGUMENTS_FOLLOW"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(run(os.Args[1:], streams{os.Stdout, os.Stderr}))
	}
	os.Exit(m.Run())
}
