package main

import (
	"runtime/debug"

	"slowpath.dev/decode/internal/tracedecode"
)

// traceGCPercent trades memory for speed: a generation's bytes live for a
// second of trace, then all of them are garbage at once.
const traceGCPercent = 100

// traceMemory is below what a trace may take, 256 MiB: the collector is late
// now and then, and the program itself is in memory, too.
const traceMemory = 224 << 20

// traceCommand decodes an execution trace.
//
//	trace [--max-bytes N] [--memory BYTES] [--histograms-only] [--cpu-samples OUT2] [--delays OUT3] IN OUT
func traceCommand(args []string, std streams) error {
	flags := newFlags("trace", "IN OUT", std)
	options := tracedecode.DefaultOptions()
	flags.Int64Var(&options.Limits.Unpacked, "max-bytes", options.Limits.Unpacked, "`bytes` after unpacking")
	flags.Int64Var(&options.Limits.Ratio, "max-ratio", options.Limits.Ratio, "unpacked bytes a packed byte may become, above the first 8 MiB")
	flags.Int64Var(&options.Limits.V1, "max-v1", options.Limits.V1, "`bytes` of a trace of Go 1.11 to 1.21")
	flags.Int64Var(&options.Limits.Generation, "max-generation", options.Limits.Generation, "`bytes` of one generation, about a second")
	flags.BoolVar(&options.HistogramsOnly, "histograms-only", false, "scheduler latency only: no P occupancy, collector, series or longest waits")
	memory := flags.Int64("memory", traceMemory, "`bytes` of memory to stay below if possible (0: no limit)")
	samples := flags.String("cpu-samples", "", "`file` for a profile of the CPU samples in the trace; written if there are any")
	delays := flags.String("delays", "", "`file` for a profile of the scheduler latency")
	if err := parse(flags, args, 2); err != nil {
		return err
	}
	debug.SetGCPercent(traceGCPercent)
	if *memory > 0 {
		debug.SetMemoryLimit(*memory)
	}
	options.Profiles = *samples != "" || *delays != ""
	result, err := tracedecode.ReadFile(flags.Arg(0), options)
	if err != nil {
		return err
	}
	if result.CPUSamples != nil && *samples != "" {
		if err := writeComplete(*samples, result.CPUSamples.Write); err != nil {
			return err
		}
	}
	if result.Delays != nil && *delays != "" {
		if err := writeComplete(*delays, result.Delays.Write); err != nil {
			return err
		}
	}
	return writeComplete(flags.Arg(1), result.File.Write)
}
