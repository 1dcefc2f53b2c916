// Command excelize-server writes spreadsheets.
package main

import (
	"flag"
	"log"
	"net/http"
	_ "net/http/pprof"

	"github.com/xuri/excelize/v2"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:7600", "address of the API and of /debug/pprof")
	flag.Parse()
	http.HandleFunc("GET /report", func(w http.ResponseWriter, _ *http.Request) {
		if err := report(w); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	log.Fatal(http.ListenAndServe(*listen, nil))
}

func report(w http.ResponseWriter) error {
	file := excelize.NewFile()
	for row := 1; row <= 6000; row++ {
		for column := 1; column <= 8; column++ {
			cell, err := excelize.CoordinatesToCellName(column, row)
			if err != nil {
				return err
			}
			if err := file.SetCellValue("Sheet1", cell, row*column); err != nil {
				return err
			}
		}
	}
	return file.Write(w)
}
