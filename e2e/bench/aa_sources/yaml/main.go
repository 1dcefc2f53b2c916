// Command yaml-server reads YAML documents.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	_ "net/http/pprof"
	"strings"

	"github.com/goccy/go-yaml"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:7600", "address of the API and of /debug/pprof")
	flag.Parse()
	text := document()
	http.HandleFunc("GET /read", func(w http.ResponseWriter, _ *http.Request) {
		var read map[string]any
		if err := yaml.Unmarshal(text, &read); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintln(w, len(read))
	})
	log.Fatal(http.ListenAndServe(*listen, nil))
}

func document() []byte {
	var text strings.Builder
	text.WriteString("tests:\n")
	for i := range 25 {
		fmt.Fprintf(&text, "  - title: case-%d\n    stages:\n      - input:\n          port: %d\n          headers:\n            Host: localhost\n            Accept: \"*/*\"\n", i, i)
		fmt.Fprintf(&text, "          data: \"key=%d\"\n        output:\n          status: [200, 403]\n          contains: id %d\n", i, i)
	}
	return []byte(text.String())
}
