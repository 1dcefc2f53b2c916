// Command esbuild-server bundles a generated tree of modules per request: a build tool under steady load.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	_ "net/http/pprof"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:7600", "address of the API and of /debug/pprof")
	folder := flag.String("dir", "", "folder for the generated sources")
	flag.Parse()
	const trees, modules = 8, 12
	for tree := range trees {
		if err := generate(filepath.Join(*folder, fmt.Sprint(tree)), modules*(tree%3+1)); err != nil {
			log.Fatal(err)
		}
	}
	http.HandleFunc("GET /build", func(w http.ResponseWriter, r *http.Request) {
		number, _ := strconv.Atoi(r.FormValue("tree"))
		result := api.Build(api.BuildOptions{
			EntryPoints:       []string{filepath.Join(*folder, fmt.Sprint(number%trees), "m0.ts")},
			Bundle:            true,
			MinifySyntax:      true,
			MinifyWhitespace:  true,
			MinifyIdentifiers: r.FormValue("minify") != "",
			Sourcemap:         api.SourceMapInline,
			Target:            api.ES2017,
		})
		if len(result.Errors) > 0 {
			http.Error(w, result.Errors[0].Text, http.StatusInternalServerError)
			return
		}
		_, _ = w.Write(result.OutputFiles[0].Contents)
	})
	log.Fatal(http.ListenAndServe(*listen, nil))
}

// generate writes modules that import each other.
func generate(folder string, modules int) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for i := range modules {
		var text strings.Builder
		for _, next := range []int{2*i + 1, 2*i + 2} {
			if next < modules {
				fmt.Fprintf(&text, "import { run as run%d, Box as Box%d } from './m%d'\n", next, next, next)
			}
		}
		text.WriteString("export class Box<T> { #value: T; constructor(value: T) { this.#value = value } get() { return this.#value } }\n")
		for f := range 12 {
			fmt.Fprintf(&text, "export async function f%d(a: number, ...rest: number[]): Promise<number> { const { length = %d, ...more } = { ...rest, a }; for await (const x of rest) { a += x ?? %d } return a ** 2 + length + Object.keys(more).length }\n", f, f, i)
		}
		text.WriteString("export async function run(n: number) { let sum = 0\n")
		for f := range 12 {
			fmt.Fprintf(&text, "  sum += await f%d(n, new Box(%d).get())\n", f, f)
		}
		for _, next := range []int{2*i + 1, 2*i + 2} {
			if next < modules {
				fmt.Fprintf(&text, "  sum += await run%d(new Box%d(n)?.get())\n", next, next)
			}
		}
		text.WriteString("  return sum }\n")
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("m%d.ts", i)), []byte(text.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
