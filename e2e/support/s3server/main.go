// Command s3server serves S3 with one bucket, stored in a file, without checking credentials.
package main

import (
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3bolt"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: s3server ADDRESS FILE BUCKET")
		os.Exit(64)
	}
	backend, err := s3bolt.NewFile(os.Args[2])
	if err == nil {
		err = backend.CreateBucket(os.Args[3])
	}
	if err != nil && !gofakes3.HasErrorCode(err, gofakes3.ErrBucketAlreadyExists) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server := &http.Server{Addr: os.Args[1], Handler: gofakes3.New(backend).Server(), ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintln(os.Stderr, server.ListenAndServe())
	os.Exit(1)
}
