// Command mixed grows many stacks: each task is a new goroutine that calls
// deep code of the standard library, through interfaces, closures, embedded
// methods and generic functions.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"go/format"
	"html/template"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sort"
	"strings"
	"sync"
)

type node struct {
	Name  string
	Left  *node
	Right *node
}

func tree(depth int) *node {
	if depth == 0 {
		return nil
	}
	return &node{fmt.Sprint("n", depth), tree(depth - 1), tree(depth - 1)}
}

type walker interface{ walk(*node, func(string)) int }

type counter struct{ seen []string }

func (c *counter) walk(n *node, visit func(string)) int {
	if n == nil {
		return 0
	}
	visit(n.Name)
	return 1 + c.walk(n.Left, visit) + c.walk(n.Right, visit)
}

type embedded struct{ *counter }

func apply[T any](values []T, each func(T)) {
	for _, value := range values {
		each(value)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

var page = template.Must(template.New("page").Parse(`{{define "n"}}<li>{{.Name}}{{with .Left}}{{template "n" .}}{{end}}</li>{{end}}<ul>{{template "n" .}}</ul>`))

var tasks = []func(){
	func() {
		text := must(json.Marshal(tree(6)))
		var back *node
		if err := json.Unmarshal(text, &back); err != nil {
			panic(err)
		}
	},
	func() {
		var out bytes.Buffer
		if err := gob.NewEncoder(&out).Encode(tree(5)); err != nil {
			panic(err)
		}
		var back node
		if err := gob.NewDecoder(&out).Decode(&back); err != nil {
			panic(err)
		}
	},
	func() { must(xml.Marshal(tree(4))) },
	func() {
		if err := page.Execute(io.Discard, tree(8)); err != nil {
			panic(err)
		}
	},
	func() {
		regexp.MustCompile(`(a|b(c|d(e|f)*)+)*x`).FindAllString(strings.Repeat("abcdefx", 50), -1)
	},
	func() { must(format.Source([]byte("package p\nfunc f() { for { if x { g(func() { h() }) } } }"))) },
	func() {
		var w walker = embedded{&counter{}}
		var names []string
		w.walk(tree(9), func(name string) { names = append(names, name) })
		sort.Slice(names, func(a, b int) bool { return names[a] < names[b] })
		apply(names[:10], func(name string) { _ = strings.ToUpper(fmt.Sprintf("%-20v|%+v", name, tree(2))) })
	},
	func() {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		must(fmt.Fprintf(w, "%v %x", must(json.Marshal(tree(7))), sha256.Sum256([]byte("x"))))
		if err := w.Close(); err != nil {
			panic(err)
		}
		must(io.Copy(io.Discard, must(gzip.NewReader(&out))))
	},
	func() {
		key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
		must(ecdsa.SignASN1(rand.Reader, key, make([]byte, 32)))
		new(big.Int).Exp(big.NewInt(3), new(big.Int).Lsh(big.NewInt(1), 600), key.X).String()
	},
}

func main() {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := page.Execute(w, tree(5)); err != nil {
			panic(err)
		}
	}))
	defer server.Close()
	var group sync.WaitGroup
	for round := 0; round < 12; round++ {
		for i := range tasks {
			task := tasks[i]
			group.Add(1)
			go func() {
				defer group.Done()
				task()
			}()
		}
		group.Add(1)
		go func() {
			defer group.Done()
			answer := must(server.Client().Get(server.URL))
			must(io.Copy(io.Discard, answer.Body))
			answer.Body.Close()
		}()
		group.Wait()
	}
}
