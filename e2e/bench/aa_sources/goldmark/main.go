// Command goldmark-server renders Markdown documents to HTML.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"net/http"
	_ "net/http/pprof"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:7600", "address of the API and of /debug/pprof")
	_ = flag.String("dir", "", "unused")
	flag.Parse()
	renderer := goldmark.New(
		goldmark.WithExtensions(extension.GFM, extension.Footnote),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	)
	text := document()
	http.HandleFunc("GET /render", func(w http.ResponseWriter, _ *http.Request) {
		var out bytes.Buffer
		if err := renderer.Convert(text, &out); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = w.Write(out.Bytes())
	})
	log.Fatal(http.ListenAndServe(*listen, nil))
}

func document() []byte {
	var text strings.Builder
	for i := range 120 {
		fmt.Fprintf(&text, "## Section %d\n\nA *paragraph* with **strong** words, `code`, a [link](/path/%d \"title\") and ~~old~~ text[^%d].\n\n", i, i, i)
		fmt.Fprintf(&text, "- item one\n- item two\n  1. nested\n  2. more\n- [x] done\n\n| a | b |\n|---|--:|\n| %d | x |\n\n> quoted\n> lines\n\n", i)
		fmt.Fprintf(&text, "```go\nfunc f%d() int { return %d }\n```\n\n[^%d]: A note.\n\n", i, i, i)
	}
	return []byte(text.String())
}
