package main

import (
	"encoding/json"
	"fmt"
	"strconv"

	"slowpath.dev/decode/internal/gapexplain"
	"slowpath.dev/decode/internal/tracesource"
)

// gapExplainCommand explains what the goroutine of a span did in a gap of it.
//
//	gap-explain --from NS --to NS --span-start NS --span-end NS [--span-id HEX] [--mark NS]... [--wall-start NS] IN
func gapExplainCommand(args []string, std streams) error {
	flags := newFlags("gap-explain", "IN", std)
	limits := tracesource.DefaultLimits()
	var query gapexplain.Query
	flags.Int64Var(&query.From, "from", 0, "Unix `ns` at which the gap begins")
	flags.Int64Var(&query.To, "to", 0, "Unix `ns` at which the gap ends")
	flags.Int64Var(&query.SpanStart, "span-start", 0, "Unix `ns` at which the span begins that the gap is in")
	flags.Int64Var(&query.SpanEnd, "span-end", 0, "Unix `ns` at which that span ends")
	flags.Func("span-id", "the span's id, 16 `hexadecimal digits`", func(text string) (err error) {
		query.ID, err = strconv.ParseUint(text, 16, 64)
		return err
	})
	flags.Func("mark", "Unix `ns` at which the span's goroutine may have run; may be repeated", appendNs(&query.Marks))
	flags.Func("wall-start", "Unix `ns` of the trace's first event, if known: then only the time around the span is read", func(text string) error {
		ns, err := strconv.ParseInt(text, 10, 64)
		query.WallStart = &ns
		return err
	})
	flags.Int64Var(&limits.Unpacked, "max-bytes", limits.Unpacked, "`bytes` after unpacking")
	if err := parse(flags, args, 1); err != nil {
		return err
	}
	if query.SpanStart > query.From || query.From >= query.To || query.To > query.SpanEnd || len(query.Marks) > gapexplain.MaxMarks {
		return fmt.Errorf("%w: gap-explain takes --span-start <= --from < --to <= --span-end, and at most %d --mark", errUsage, gapexplain.MaxMarks)
	}
	result, err := gapexplain.File(flags.Arg(0), query, limits)
	if err != nil {
		return err
	}
	return json.NewEncoder(std.out).Encode(result)
}

func appendNs(list *[]int64) func(string) error {
	return func(text string) error {
		ns, err := strconv.ParseInt(text, 10, 64)
		*list = append(*list, ns)
		return err
	}
}
