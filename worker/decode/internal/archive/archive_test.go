package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"slowpath.dev/decode/internal/inputerror"
)

var roomy = Limits{Entries: 100, File: 1 << 20, Total: 4 << 20, Ratio: 500}

type file struct {
	name string
	data string
	link string
}

func zipped(t testing.TB, files ...file) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		if f.link != "" {
			header.SetMode(os.ModeSymlink | 0o777)
			f.data = f.link
		}
		entry, err := w.CreateHeader(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(entry, f.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func tarred(t testing.TB, files ...file) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Size: int64(len(f.data)), Mode: 0o644, Typeflag: tar.TypeReg}
		switch {
		case f.link != "":
			header.Typeflag, header.Linkname = tar.TypeSymlink, f.link
		case strings.HasSuffix(f.name, "/"):
			header.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func gzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func unpack(t testing.TB, data []byte, limits Limits) (Contents, string, error) {
	t.Helper()
	folder := t.TempDir()
	name := filepath.Join(folder, "archive")
	out := filepath.Join(folder, "out")
	if err := errors.Join(os.WriteFile(name, data, 0o600), os.Mkdir(out, 0o700)); err != nil {
		t.Fatal(err)
	}
	contents, err := Unpack(name, out, limits)
	return contents, out, err
}

func TestFilesOfEveryFormat(t *testing.T) {
	files := []file{
		{name: "base/"}, {name: "base/cpu.pprof", data: "first"}, {name: "candidate/cpu.pprof", data: "second"},
		{name: "__MACOSX/base/._cpu.pprof", data: "x"}, {name: "base/.DS_Store", data: "x"},
		{name: "empty", data: ""}, {name: "link", link: "/etc/passwd"}, {name: "../../up.pprof", data: "third"},
		{name: "inner.zip", data: string(zipped(t, file{name: "a", data: "b"}))},
	}
	for format, data := range map[string][]byte{
		"zip": zipped(t, files...), "tar": tarred(t, files...), "tar.gz": gzipped(t, tarred(t, files...)),
	} {
		t.Run(format, func(t *testing.T) {
			contents, out, err := unpack(t, data, roomy)
			if err != nil {
				t.Fatal(err)
			}
			var paths []string
			for _, m := range contents.Members {
				written, err := os.ReadFile(filepath.Join(out, m.File))
				if err != nil || int64(len(written)) != m.SizeBytes || len(m.SHA256) != 64 {
					t.Errorf("%+v: %q %v", m, written, err)
				}
				paths = append(paths, m.Path+"="+string(written))
			}
			if want := []string{"base/cpu.pprof=first", "candidate/cpu.pprof=second", "../../up.pprof=third"}; !reflect.DeepEqual(paths, want) {
				t.Errorf("got %v, want %v", paths, want)
			}
			want := []Skipped{{"empty", ReasonEmpty}, {"link", ReasonLink}, {"inner.zip", ReasonNested}}
			if !reflect.DeepEqual(contents.Skipped, want) {
				t.Errorf("skipped %v, want %v", contents.Skipped, want)
			}
			left, err := os.ReadDir(out)
			if err != nil || len(left) != len(contents.Members) {
				t.Errorf("files left: %v %v", left, err)
			}
		})
	}
}

func TestRefusedArchives(t *testing.T) {
	zeros := strings.Repeat("\x00", 1<<20)
	many := make([]file, 101)
	bomb := make([]file, 10)
	for i := range many {
		many[i] = file{name: strings.Repeat("n", i+1), data: "x"}
	}
	for i := range bomb {
		bomb[i] = file{name: strings.Repeat("n", i+1), data: zeros}
	}
	wide := Limits{Entries: 100, File: 1 << 30, Total: 1 << 30, Ratio: 500}
	whole := zipped(t, file{name: "a", data: "some text"})
	for name, test := range map[string]struct {
		data   []byte
		limits Limits
		slug   string
	}{
		"zip of many files":     {zipped(t, many...), roomy, "too-many-files"},
		"tar of many files":     {tarred(t, many...), roomy, "too-many-files"},
		"zip above the total":   {zipped(t, bomb...), roomy, "unpacked-too-large"},
		"tar above the total":   {tarred(t, bomb...), roomy, "unpacked-too-large"},
		"zip bomb":              {zipped(t, bomb...), wide, "compression-ratio"},
		"tar.gz bomb":           {gzipped(t, tarred(t, bomb...)), wide, "compression-ratio"},
		"empty zip":             {zipped(t), roomy, "empty-archive"},
		"zip of nothing usable": {zipped(t, file{name: "e"}), roomy, "nothing-unpacked"},
		"zip cut short":         {whole[:len(whole)-10], roomy, "damaged-zip"},
		"tar cut short":         {tarred(t, file{name: "a", data: "x"}, file{name: "b", data: zeros})[:5000], roomy, "damaged-tar"},
		"no archive":            {[]byte("hello"), roomy, "not-an-archive"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := unpack(t, test.data, test.limits)
			var bad *inputerror.InputError
			if !errors.As(err, &bad) || bad.Slug != test.slug {
				t.Errorf("got %v, want %s", err, test.slug)
			}
		})
	}
}

func TestFilesThatAreTooLargeOrLockedAreSkipped(t *testing.T) {
	locked := zipped(t, file{name: "locked", data: "x"}, file{name: "open", data: "y"}, file{name: "large", data: strings.Repeat("z", 11)})
	at := bytes.Index(locked, []byte("PK\x01\x02"))
	locked[at+8] |= zipEncrypted // of the first entry in the directory
	contents, _, err := unpack(t, locked, Limits{Entries: 10, File: 10, Total: 100, Ratio: 500})
	if err != nil {
		t.Fatal(err)
	}
	want := []Skipped{{"locked", ReasonEncrypted}, {"large", ReasonTooLarge}}
	if len(contents.Members) != 1 || contents.Members[0].Path != "open" || !reflect.DeepEqual(contents.Skipped, want) {
		t.Errorf("got %+v", contents)
	}
}

func TestLongAndInvalidNamesAreShortened(t *testing.T) {
	contents, _, err := unpack(t, tarred(t, file{name: strings.Repeat("d/", 900) + "c\xffpu.pprof", data: "x"}), roomy)
	if err != nil {
		t.Fatal(err)
	}
	got := contents.Members[0].Path
	if len(got) > maxPath || !strings.HasSuffix(got, "c\uFFFDpu.pprof") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(zipped(f, file{name: "a", data: "b"}))
	f.Add(tarred(f, file{name: "a", data: "b"}, file{name: "l", link: "a"}))
	f.Add(gzipped(f, tarred(f, file{name: "a", data: "b"})))
	limits := Limits{Entries: 20, File: 1 << 16, Total: 1 << 18, Ratio: 500}
	f.Fuzz(func(t *testing.T, data []byte) {
		contents, out, err := unpack(t, data, limits)
		if err != nil {
			var bad *inputerror.InputError
			if !errors.As(err, &bad) {
				t.Fatalf("a failure of ours: %v", err)
			}
			return
		}
		left, err := os.ReadDir(out)
		if err != nil || len(left) != len(contents.Members) || len(left) > 20 {
			t.Fatalf("%d files left of %d: %v", len(left), len(contents.Members), err)
		}
	})
}
