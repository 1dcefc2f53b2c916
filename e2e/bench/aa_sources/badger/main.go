// Command badger-server is a key-value store over HTTP: PUT and GET of keys, and scans of a range.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	_ "net/http/pprof"

	"github.com/dgraph-io/badger/v4"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:7600", "address of the API and of /debug/pprof")
	folder := flag.String("dir", "", "folder of the data")
	flag.Parse()
	store, err := badger.Open(badger.DefaultOptions(*folder).WithLogger(nil).WithMemTableSize(8 << 20).WithNumMemtables(2))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("PUT /key/{key}", func(w http.ResponseWriter, r *http.Request) {
		value, err := io.ReadAll(r.Body)
		if err == nil {
			err = store.Update(func(txn *badger.Txn) error { return txn.Set([]byte(r.PathValue("key")), value) })
		}
		answer(w, nil, err)
	})
	http.HandleFunc("GET /key/{key}", func(w http.ResponseWriter, r *http.Request) {
		var value []byte
		err := store.View(func(txn *badger.Txn) error {
			item, err := txn.Get([]byte(r.PathValue("key")))
			if errors.Is(err, badger.ErrKeyNotFound) {
				return nil
			}
			if err == nil {
				value, err = item.ValueCopy(nil)
			}
			return err
		})
		answer(w, value, err)
	})
	http.HandleFunc("GET /scan/{from}", func(w http.ResponseWriter, r *http.Request) {
		bytes, seen := 0, 0
		err := store.View(func(txn *badger.Txn) error {
			rows := txn.NewIterator(badger.DefaultIteratorOptions)
			defer rows.Close()
			for rows.Seek([]byte(r.PathValue("from"))); rows.Valid() && seen < 100; rows.Next() {
				seen++
				if err := rows.Item().Value(func(value []byte) error { bytes += len(value); return nil }); err != nil {
					return err
				}
			}
			return nil
		})
		answer(w, fmt.Appendf(nil, "%d rows, %d bytes", seen, bytes), err)
	})
	log.Fatal(http.ListenAndServe(*listen, nil))
}

func answer(w http.ResponseWriter, body []byte, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(body)
}
