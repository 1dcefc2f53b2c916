// Command sqlite-server keeps orders in an SQLite database: it inserts them, reads one, and sums them by customer.
package main

import (
	"database/sql"
	"flag"
	"fmt"
	"log"
	"net/http"
	_ "net/http/pprof"
	"path/filepath"
	"strconv"

	_ "modernc.org/sqlite"
)

const schema = `
PRAGMA journal_mode = wal;
PRAGMA synchronous = off;
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER NOT NULL, item TEXT NOT NULL, cents INTEGER NOT NULL);
CREATE INDEX orders_of_customer ON orders (customer, id);
`
const byItem = `
SELECT item, count(*), sum(cents) FROM (SELECT item, cents FROM orders WHERE customer = ? ORDER BY id DESC LIMIT 50)
GROUP BY item ORDER BY 3 DESC`

func main() {
	listen := flag.String("listen", "127.0.0.1:7600", "address of the API and of /debug/pprof")
	folder := flag.String("dir", "", "folder of the data")
	flag.Parse()
	store, err := sql.Open("sqlite", filepath.Join(*folder, "orders.db"))
	if err != nil {
		log.Fatal(err)
	}
	store.SetMaxOpenConns(1)
	if _, err := store.Exec(schema); err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.FormValue("n"))
		lines, _ := strconv.Atoi(r.FormValue("lines"))
		answer(w, "stored", insert(store, n, max(lines, 1)))
	})
	http.HandleFunc("GET /orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		var item string
		err := store.QueryRow("SELECT item FROM orders WHERE id = ?", r.PathValue("id")).Scan(&item)
		if err == sql.ErrNoRows {
			item, err = "none", nil
		}
		answer(w, item, err)
	})
	http.HandleFunc("GET /customers/{customer}", func(w http.ResponseWriter, r *http.Request) {
		found, err := summary(store, r.PathValue("customer"))
		answer(w, found, err)
	})
	log.Fatal(http.ListenAndServe(*listen, nil))
}

func insert(store *sql.DB, n, lines int) error {
	work, err := store.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = work.Rollback() }()
	for line := range lines {
		item := fmt.Sprintf("item %d", (n*31+line*17)%97)
		if _, err := work.Exec("INSERT INTO orders (customer, item, cents) VALUES (?, ?, ?)", n%400, item, (n*7+line)%5000); err != nil {
			return err
		}
	}
	return work.Commit()
}

func summary(store *sql.DB, customer string) (string, error) {
	rows, err := store.Query(byItem, customer)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	text := ""
	for rows.Next() {
		var item string
		var count, cents int
		if err := rows.Scan(&item, &count, &cents); err != nil {
			return "", err
		}
		text += fmt.Sprintf("%s: %d orders, %d cents\n", item, count, cents)
	}
	return text, rows.Err()
}

func answer(w http.ResponseWriter, body string, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprint(w, body)
}
