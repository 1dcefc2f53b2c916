package jsonstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"slowpath.dev/decode/internal/inputerror"
)

var bounds = Limits{Depth: 32, Text: 1 << 20}

// decode reads one value into Go's own types, numbers as text.
func decode(r *Reader) (any, error) {
	c, err := r.Peek()
	if err != nil {
		return nil, err
	}
	switch c {
	case '{':
		object := map[string]any{}
		return object, r.Object(func(key []byte) error {
			name := string(key)
			value, err := decode(r)
			object[name] = value
			return err
		})
	case '[':
		list := []any{}
		return list, r.Array(func() error {
			value, err := decode(r)
			list = append(list, value)
			return err
		})
	case '"':
		text, err := r.String()
		return string(text), err
	}
	text, err := r.Scalar()
	if err != nil {
		return nil, err
	}
	switch string(text) {
	case "true", "false":
		return string(text) == "true", nil
	case "":
		return nil, nil
	}
	return json.Number(text), nil
}

func slug(err error) string {
	var bad *inputerror.InputError
	if errors.As(err, &bad) {
		return bad.Slug
	}
	return fmt.Sprint(err)
}

const sample = `{"a": [1, -2.5e3, true, false, null, ""], "b\n\"\\\/\u00e9\ud83d\ude00\ud800x": {"c": {}, "d": []}, "long": "` + "äöü" + `"}`

// The oracle is encoding/json, however small the pieces in which the input comes.
func TestReadsWhatGoReads(t *testing.T) {
	long := `["` + strings.Repeat("x", 3*window) + `\n` + strings.Repeat(`\"y`, window) + `", 123, {"k": "` + strings.Repeat("z", window) + `"}]`
	for _, text := range []string{sample, long, ` [] `, "\ufeff{}", `"x"`, `12`, `[[[[1]]]]`} {
		want, decoder := any(nil), json.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
		decoder.UseNumber()
		if err := decoder.Decode(&want); err != nil {
			t.Fatal(err)
		}
		for name, in := range map[string]io.Reader{"whole": strings.NewReader(text), "by bytes": iotest.OneByteReader(strings.NewReader(text)), "late end": iotest.DataErrReader(strings.NewReader(text))} {
			r := NewReader(in, bounds)
			got, err := decode(r)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s %.40q: %v %.80v, want %.80v", name, text, err, got, want)
			}
			if c, err := r.Peek(); c != 0 || err != nil || r.Offset() != int64(len(text)) {
				t.Errorf("%s %.40q: at %d of %d, %v", name, text, r.Offset(), len(text), err)
			}
			r = NewReader(strings.NewReader(text), bounds)
			if err := r.Skip(); err != nil {
				t.Errorf("skip %.40q: %v", text, err)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct{ want, text string }{
		{"malformed-json", `{"a" 1}`},
		{"malformed-json", `{"a": 1 "b": 2}`},
		{"malformed-json", `[1,]`},
		{"malformed-json", `[1 2]`},
		{"malformed-json", `{1: 2}`},
		{"malformed-json", `[nul]`},
		{"malformed-json", `["\x"]`},
		{"malformed-json", `["\u12g4"]`},
		{"malformed-json", `["\u12"]`},
		{"malformed-json", `[@]`},
		{"malformed-json", `]`},
		{"truncated-json", `{"a": `},
		{"truncated-json", `["a`},
		{"truncated-json", `[1`},
		{"truncated-json", `[tru`},
		{"truncated-json", `{"a`},
		{"truncated-json", `{"a"`},
		{"json-too-deep", strings.Repeat("[", 40)},
		{"text-too-long", `["` + strings.Repeat("x", 2<<20) + `"]`},
		{"text-too-long", `[` + strings.Repeat("1", 2<<20) + `]`},
	} {
		if _, err := decode(NewReader(strings.NewReader(test.text), bounds)); slug(err) != test.want {
			t.Errorf("%.30q: %v, want %s", test.text, err, test.want)
		}
		if err := NewReader(strings.NewReader(test.text), bounds).Skip(); slug(err) != test.want && !strings.HasPrefix(test.text, "{1") {
			t.Errorf("skip %.30q: %v, want %s", test.text, err, test.want)
		}
	}
}

func TestNullIsNothing(t *testing.T) {
	r := NewReader(strings.NewReader(`[null, null, null]`), bounds)
	calls := 0
	if err := r.Array(func() error {
		calls++
		switch calls {
		case 1:
			return r.Object(func([]byte) error { return errors.New("called") })
		case 2:
			return r.Array(func() error { return errors.New("called") })
		}
		text, err := r.String()
		if text != nil {
			t.Errorf("%q", text)
		}
		return err
	}); err != nil || calls != 3 {
		t.Error(err, calls)
	}
}

func TestReadErrors(t *testing.T) {
	broken := errors.New("disk")
	for _, text := range []string{"", "{", `["abc`, `[12`, `[tr`} {
		in := io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
		if _, err := decode(NewReader(in, bounds)); !errors.Is(err, broken) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzRead: whatever comes in yields a named input error or what encoding/json reads.
func FuzzRead(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(`[1,{"a":"\ud83d\ude00"}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(iotest.HalfReader(strings.NewReader(string(data))), bounds)
		got, err := decode(r)
		if err != nil {
			if !errors.As(err, new(*inputerror.InputError)) {
				t.Fatalf("not an input error: %v", err)
			}
			return
		}
		if c, err := r.Peek(); err != nil || c != 0 {
			return
		}
		want, strict := any(nil), json.NewDecoder(strings.NewReader(string(data)))
		strict.UseNumber()
		// What Go refuses (control characters in texts, odd numbers) may be read; what it reads must be the same.
		if strict.Decode(&want) == nil && strict.Decode(new(any)) == io.EOF && !reflect.DeepEqual(got, want) && !strings.ContainsRune(fmt.Sprint(want), '\uFFFD') {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
