// Command bleve-server is a search engine over HTTP: documents are indexed, and searched by words, phrases and prefixes.
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http"
	_ "net/http/pprof"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"
)

// Documents that are there before the first request.
const documents = 3000

type document struct {
	Title string `json:"title"`
	Body  string `json:"body"`
	Year  int    `json:"year"`
}

func main() {
	listen := flag.String("listen", "127.0.0.1:7600", "address of the API and of /debug/pprof")
	folder := flag.String("dir", "", "folder of the index")
	flag.Parse()
	index, err := bleve.New(filepath.Join(*folder, "index"), bleve.NewIndexMapping())
	if err != nil {
		log.Fatal(err)
	}
	batch := index.NewBatch()
	for n := range documents {
		if err := batch.Index(strconv.Itoa(n), written(n, 60)); err != nil {
			log.Fatal(err)
		}
	}
	if err := index.Batch(batch); err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("PUT /documents/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		words, _ := strconv.Atoi(r.FormValue("words"))
		if err := index.Index(strconv.Itoa(n), written(n, words)); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	http.HandleFunc("GET /search/{kind}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.FormValue("n"))
		request := bleve.NewSearchRequestOptions(asked(r.PathValue("kind"), n), 20, 0, false)
		found, err := index.SearchInContext(r.Context(), request)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, "%d found, best %.3f", found.Total, found.MaxScore)
	})
	log.Fatal(http.ListenAndServe(*listen, nil))
}

func asked(kind string, n int) query.Query {
	switch kind {
	case "prefix":
		return bleve.NewPrefixQuery(word(n)[:3])
	case "phrase":
		return bleve.NewMatchPhraseQuery(word(n) + " " + word(n+1))
	default:
		return bleve.NewMatchQuery(word(n) + " " + word(n*7))
	}
}

// written is the n-th document: always the same, of so many words, the frequent ones more often.
func written(n, words int) document {
	dice := rand.New(rand.NewPCG(uint64(n), 5))
	var body strings.Builder
	for range words {
		body.WriteString(word(int(float64(800) * dice.Float64() * dice.Float64())))
		body.WriteByte(' ')
	}
	return document{Title: word(n) + " " + word(n/7), Body: body.String(), Year: 1990 + n%30}
}

func word(n int) string {
	syllables := []string{"ka", "ren", "to", "mi", "lus", "va", "der", "po", "sin", "qua"}
	n %= 800
	return syllables[n%10] + syllables[n/10%10] + syllables[n/100%10]
}
