// Command goja-server answers requests by running JavaScript, in runtimes that are reused for the next request.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	_ "net/http/pprof"
	"strconv"
	"sync"

	"github.com/dop251/goja"
)

const script = `
function order(n) {
  var items = [];
  for (var i = 0; i < 40; i++) items.push({id: (n * 31 + i * 17) % 997, price: (i * 7 + n) % 100, tags: ["t" + i % 5, "u" + n % 3]});
  return items;
}
function summary(n) {
  var byTag = {};
  order(n).filter(function (item) { return item.price > 20; }).forEach(function (item) {
    item.tags.forEach(function (tag) { byTag[tag] = (byTag[tag] || 0) + item.price; });
  });
  return JSON.stringify(Object.keys(byTag).sort().map(function (tag) { return {tag: tag, sum: byTag[tag]}; }));
}
function ranking(n) {
  return order(n).sort(function (a, b) { return a.price - b.price || a.id - b.id; }).map(function (item) { return item.id; }).join(",");
}
function page(n) {
  return order(n).map(function (item) {
    return "<li class='x'>{id}: {price}</li>".replace(/\{(\w+)\}/g, function (_, name) { return item[name]; });
  }).join("\n");
}
function primes(n) {
  var sieve = new Uint8Array(2000 + n % 100), count = 0;
  for (var i = 2; i < sieve.length; i++) {
    if (sieve[i]) continue;
    count++;
    for (var j = i * i; j < sieve.length; j += i) sieve[j] = 1;
  }
  return count;
}
function garbage(n) {
  var rows = [];
  for (var i = 0; i < 3000; i++) rows.push({key: "row " + i, value: [i, n, String(i * n)]});
  return rows.length + JSON.stringify(rows).length;
}
`

type engine struct {
	runtime *goja.Runtime
	calls   map[string]goja.Callable
}

func main() {
	listen := flag.String("listen", "127.0.0.1:7600", "address of the API and of /debug/pprof")
	_ = flag.String("dir", "", "unused")
	flag.Parse()
	program := goja.MustCompile("orders.js", script, true)
	runtimes := sync.Pool{New: func() any { return prepared(program) }}
	http.HandleFunc("GET /run/{name}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.FormValue("n"))
		known := runtimes.Get().(*engine)
		defer runtimes.Put(known)
		call, found := known.calls[r.PathValue("name")]
		if !found {
			http.NotFound(w, r)
			return
		}
		answer, err := call(goja.Undefined(), known.runtime.ToValue(n))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, answer.String())
	})
	log.Fatal(http.ListenAndServe(*listen, nil))
}

func prepared(program *goja.Program) *engine {
	runtime := goja.New()
	if _, err := runtime.RunProgram(program); err != nil {
		log.Fatal(err)
	}
	calls := map[string]goja.Callable{}
	for _, name := range []string{"summary", "ranking", "page", "primes", "garbage"} {
		call, is := goja.AssertFunction(runtime.Get(name))
		if !is {
			log.Fatal(name)
		}
		calls[name] = call
	}
	return &engine{runtime, calls}
}
