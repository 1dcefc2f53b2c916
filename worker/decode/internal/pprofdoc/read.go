// Package pprofdoc reads profiles: pprof's protobuf with a streaming decoder
// of its own, and the older formats with github.com/google/pprof.
package pprofdoc

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/google/pprof/profile"

	"slowpath.dev/decode/internal/calltree"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/unpack"
)

// Read decodes the profile in a file.
func Read(path string, options calltree.Options) (*profilefile.File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the input: %w", err)
	}
	defer in.Close()
	stat, err := in.Stat()
	if err != nil {
		return nil, fmt.Errorf("opening the input: %w", err)
	}
	u, err := unpack.New(in, options.Limits.Unpacked)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	data, err := io.ReadAll(u)
	if err != nil {
		return nil, err
	}
	p, err := profile.ParseData(data)
	if err != nil {
		return nil, errors.Join(errors.New("parse"), err)
	}
	options.Source = profilefile.Source{Bytes: stat.Size(), BytesUnpacked: u.Unpacked(), Encoding: string(u.Encoding), Dialect: "pprof"}
	return calltree.Build(fromProfile(p), options)
}
