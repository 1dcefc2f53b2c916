package main

import (
	"encoding/json"
	"fmt"
	"io"

	"slowpath.dev/decode/internal/traceexcerpt"
	"slowpath.dev/decode/internal/tracesource"
)

// traceExcerptCommand writes a trace of the whole generations that cover a time, and
// prints which time that is.
//
//	trace-excerpt --from NS --to NS IN OUT
func traceExcerptCommand(args []string, std streams) error {
	flags := newFlags("trace-excerpt", "IN OUT", std)
	limits := tracesource.DefaultLimits()
	from := flags.Int64("from", 0, "`ns` since the first event")
	to := flags.Int64("to", 0, "`ns` since the first event")
	flags.Int64Var(&limits.Unpacked, "max-bytes", limits.Unpacked, "`bytes` after unpacking")
	flags.Int64Var(&limits.Ratio, "max-ratio", limits.Ratio, "unpacked bytes a packed byte may become, above the first 8 MiB")
	if err := parse(flags, args, 2); err != nil {
		return err
	}
	if *from < 0 || *to < *from {
		return fmt.Errorf("%w: trace-excerpt takes 0 <= --from <= --to", errUsage)
	}
	cut, err := traceexcerpt.Plan(flags.Arg(0), *from, *to, limits)
	if err != nil {
		return err
	}
	if err := writeComplete(flags.Arg(1), func(w io.Writer) error { return cut.Write(w, flags.Arg(0), limits) }); err != nil {
		return err
	}
	return json.NewEncoder(std.out).Encode(cut)
}
