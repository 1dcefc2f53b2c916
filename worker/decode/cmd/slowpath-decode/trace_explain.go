package main

import (
	"encoding/json"
	"fmt"
	"strconv"

	"slowpath.dev/decode/internal/traceexplain"
	"slowpath.dev/decode/internal/tracesource"
)

// traceExplainCommand tells what the goroutine of a span did in a gap of it.
//
//	trace-explain --from NS --to NS --span-start NS --span-end NS [--span-id HEX] [--mark NS]... [--wall-start NS] IN
func traceExplainCommand(args []string, std streams) error {
	flags := newFlags("trace-explain", "IN", std)
	limits := tracesource.DefaultLimits()
	var ask traceexplain.Ask
	flags.Int64Var(&ask.From, "from", 0, "Unix `ns` at which the gap begins")
	flags.Int64Var(&ask.To, "to", 0, "Unix `ns` at which the gap ends")
	flags.Int64Var(&ask.SpanStart, "span-start", 0, "Unix `ns` at which the span begins that the gap is in")
	flags.Int64Var(&ask.SpanEnd, "span-end", 0, "Unix `ns` at which that span ends")
	flags.Func("span-id", "the span's id, 16 `hexadecimal digits`", func(text string) (err error) {
		ask.ID, err = strconv.ParseUint(text, 16, 64)
		return err
	})
	flags.Func("mark", "Unix `ns` at which the span's goroutine may have run; may be repeated", appendNs(&ask.Marks))
	flags.Func("wall-start", "Unix `ns` of the trace's first event, if known: then only what lies around the span is read", func(text string) error {
		ns, err := strconv.ParseInt(text, 10, 64)
		ask.WallStart = &ns
		return err
	})
	flags.Int64Var(&limits.Unpacked, "max-bytes", limits.Unpacked, "`bytes` after unpacking")
	if err := parse(flags, args, 1); err != nil {
		return err
	}
	if ask.SpanStart > ask.From || ask.From >= ask.To || ask.To > ask.SpanEnd || len(ask.Marks) > traceexplain.MostMarks {
		return fmt.Errorf("%w: trace-explain takes --span-start <= --from < --to <= --span-end, and at most %d --mark", errUsage, traceexplain.MostMarks)
	}
	answer, err := traceexplain.File(flags.Arg(0), ask, limits)
	if err != nil {
		return err
	}
	return json.NewEncoder(std.out).Encode(answer)
}

func appendNs(list *[]int64) func(string) error {
	return func(text string) error {
		ns, err := strconv.ParseInt(text, 10, 64)
		*list = append(*list, ns)
		return err
	}
}
