// Command runewidth-server lays out tables of text in fixed columns.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	_ "net/http/pprof"
	"strings"

	"github.com/mattn/go-runewidth"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:7600", "address of the API and of /debug/pprof")
	flag.Parse()
	rows := rows()
	http.HandleFunc("GET /table", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(table(rows)))
	})
	log.Fatal(http.ListenAndServe(*listen, nil))
}

func table(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for column, cell := range row {
			widths[column] = max(widths[column], runewidth.StringWidth(cell))
		}
	}
	var out strings.Builder
	for _, row := range rows {
		for column, cell := range row {
			out.WriteString(runewidth.FillRight(cell, widths[column]))
			out.WriteString(" | ")
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func rows() [][]string {
	rows := make([][]string, 0, 400)
	for i := range 400 {
		rows = append(rows, []string{fmt.Sprintf("row %d", i), "Zürich, Genève", "東京タワー", fmt.Sprintf("%d items in stock", i*i)})
	}
	return rows
}
