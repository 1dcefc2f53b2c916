package main

import (
	"encoding/json"

	"slowpath.dev/decode/internal/archive"
)

// unpackCommand writes the files of an archive to a folder, and prints as JSON what they are.
func unpackCommand(args []string, std streams) error {
	flags := newFlags("unpack", "ARCHIVE FOLDER", std)
	limits := archive.Limits{Entries: 1000, File: 1 << 30, Total: 4 << 30, Ratio: 500}
	flags.Int64Var(&limits.Entries, "max-entries", limits.Entries, "entries of the archive")
	flags.Int64Var(&limits.File, "max-file", limits.File, "unpacked `bytes` of one file; larger ones are skipped")
	flags.Int64Var(&limits.Total, "max-total", limits.Total, "unpacked `bytes` of all files")
	flags.Int64Var(&limits.Ratio, "max-ratio", limits.Ratio, "unpacked bytes a byte of the archive may become, above the first 8 MiB")
	if err := parse(flags, args, 2); err != nil {
		return err
	}
	contents, err := archive.Unpack(flags.Arg(0), flags.Arg(1), limits)
	if err != nil {
		return err
	}
	return json.NewEncoder(std.out).Encode(contents)
}
