//go:build corpus

package pprofread

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"slowpath.dev/decode/internal/inputerror"
)

// corpusRoot is the folder of real profiles, outside the project.
func corpusRoot() string {
	if root := os.Getenv("SLOWPATH_CORPUS"); root != "" {
		return root
	}
	return "../../../../../shared/corpus"
}

// Every profile of the corpus decodes as in the oracle; what the oracle
// refuses is refused by name.
func TestCorpus(t *testing.T) {
	files := 0
	err := filepath.WalkDir(corpusRoot(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isProfile(path) {
			return err
		}
		files++
		t.Run(strings.TrimPrefix(path, corpusRoot()), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if p, err := profile.ParseData(data); err == nil && len(p.Sample) > 0 {
				agree(t, data)
				return
			}
			_, err = Read(bytes.NewReader(data), options())
			var bad *inputerror.InputError
			if !errors.As(err, &bad) {
				t.Errorf("want an input error, got %v", err)
			}
		})
		return nil
	})
	if err != nil || files < 70 {
		t.Fatalf("read %d files: %v", files, err)
	}
}

func isProfile(path string) bool {
	name := filepath.Base(path)
	return strings.Contains(path, "/pprof/") && filepath.Ext(path) != ".tsv" ||
		strings.Contains(path, "/cases/") && strings.HasSuffix(name, ".pb.gz")
}
