// Command chroma-server highlights source code of several languages as HTML.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	_ "net/http/pprof"
	"strconv"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
)

var snippets = map[string]string{
	"go": `func (s *Store) Total%d(ids []int64) (sum int64, err error) {
	for _, id := range ids { // one query each
		row, err := s.db.Query("SELECT cents FROM orders WHERE id = ?", id)
		if err != nil {
			return 0, fmt.Errorf("order %%d: %%w", id, err)
		}
		sum += row.Cents + 0x2a
	}
	return sum, nil
}
`,
	"python": `def total_%d(orders: list[dict], rate: float = 0.19) -> float:
    """Sum of all orders, with tax."""
    return sum(order["cents"] * (1 + rate) for order in orders if not order.get("void")) / 100.0
`,
	"sql": `SELECT c.name, count(*) AS orders_%d, sum(o.cents) FROM customers c JOIN orders o ON o.customer = c.id
WHERE o.day >= '2026-01-01' AND c.country IN ('DE', 'FR') GROUP BY c.name HAVING count(*) > 3; -- by customer
`,
	"json": `{"id": %d, "items": [{"name": "lamp", "cents": 1999, "tags": ["home", "light"]}, {"name": null, "void": true}]}
`,
}

func main() {
	listen := flag.String("listen", "127.0.0.1:7600", "address of the API and of /debug/pprof")
	_ = flag.String("dir", "", "unused")
	flag.Parse()
	formatter := html.New(html.WithClasses(true), html.WithLineNumbers(true))
	style := styles.Get("github")
	http.HandleFunc("GET /highlight/{language}", func(w http.ResponseWriter, r *http.Request) {
		snippet, known := snippets[r.PathValue("language")]
		if !known {
			http.NotFound(w, r)
			return
		}
		n, _ := strconv.Atoi(r.FormValue("n"))
		times, _ := strconv.Atoi(r.FormValue("times"))
		tokens, err := chroma.Coalesce(lexers.Get(r.PathValue("language"))).Tokenise(nil, source(snippet, n, max(times, 2)))
		if err == nil {
			err = formatter.Format(w, style, tokens)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	log.Fatal(http.ListenAndServe(*listen, nil))
}

func source(snippet string, n, times int) string {
	var text strings.Builder
	for i := range times {
		fmt.Fprintf(&text, snippet, n+i)
	}
	return text.String()
}
