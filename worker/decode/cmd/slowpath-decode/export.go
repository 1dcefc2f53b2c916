package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"slowpath.dev/decode/internal/pprofwrite"
	"slowpath.dev/decode/internal/profilefile"
)

// exportCommand writes pprof from decoded profiles: all of them added up, or,
// with -base and -candidate, the difference.
//
//	export --out OUT.pb.gz [--scale F] FILE...
//	export --out OUT.pb.gz [--base-scale F] [--candidate-scale F] --base FILE... --candidate FILE...
func exportCommand(args []string, std streams) error {
	args, base, candidate := takeLists(args)
	flags := newFlags("export", "FILE... | --base FILE... --candidate FILE...", std)
	out := flags.String("out", "", "`file` to write")
	scale := flags.Float64("scale", 1, "factor on all values")
	baseScale := flags.Float64("base-scale", 1, "factor on the values of the base")
	candidateScale := flags.Float64("candidate-scale", 1, "factor on the values of the candidate")
	if err := parse(flags, args, anyNumber); err != nil {
		return err
	}
	plain := flags.Args()
	if *out == "" || (len(plain) > 0) == (len(base)+len(candidate) > 0) || (len(base) > 0) != (len(candidate) > 0) {
		return fmt.Errorf("%w: export takes --out and either files, or both --base and --candidate", errUsage)
	}
	debug.SetGCPercent(gcPercent)
	b := pprofwrite.New()
	for _, list := range []struct {
		files  []string
		scale  float64
		isBase bool
	}{{plain, *scale, false}, {candidate, *candidateScale, false}, {base, -*baseScale, true}} {
		for _, path := range list.files {
			if err := addFile(b, path, list.scale, list.isBase); err != nil {
				return err
			}
		}
	}
	return writeComplete(*out, b.Write)
}

// takeLists takes the lists behind --base and --candidate, which flag cannot
// read, out of the arguments.
func takeLists(args []string) (rest, base, candidate []string) {
	into := &rest
	for i := 0; i < len(args); i++ {
		switch name := strings.TrimLeft(args[i], "-"); {
		case args[i] != name && name == "base":
			into = &base
		case args[i] != name && name == "candidate":
			into = &candidate
		case args[i] != name && into != &rest: // another flag ends the list
			rest = append(rest, args[i])
			if !strings.Contains(name, "=") && i+1 < len(args) {
				i++
				rest = append(rest, args[i])
			}
			into = &rest
		default:
			*into = append(*into, args[i])
		}
	}
	return rest, base, candidate
}

func addFile(b *pprofwrite.Builder, path string, scale float64, isBase bool) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading a decoded profile: %w", err)
	}
	f, err := profilefile.Read(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return b.Add(f, scale, isBase)
}
