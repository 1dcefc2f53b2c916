package protostream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"slowpath.dev/decode/internal/inputerror"
)

func tagged(number, wire int, value uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number)<<3|uint64(wire)), value)
}

func message(number int, data []byte) []byte {
	return append(tagged(number, Bytes, uint64(len(data))), data...)
}

func slug(err error) string {
	var bad *inputerror.InputError
	if errors.As(err, &bad) {
		return bad.Slug
	}
	return fmt.Sprint(err)
}

// walk lists all fields; it goes into those numbered 1 and takes those numbered 2.
func walk(r *Reader) (string, error) {
	var out strings.Builder
	var visit func(Field) error
	visit = func(f Field) error {
		fmt.Fprintf(&out, "%d/%d=%d ", f.Number, f.Wire, f.Value)
		if f.Wire != Bytes {
			return nil
		}
		switch f.Number {
		case 1:
			err := r.Fields(r.Offset()+int64(f.Value), visit)
			out.WriteString("end ")
			return err
		case 2:
			data, err := r.Take(f.Value)
			fmt.Fprintf(&out, "%.3q ", data)
			return err
		}
		return nil
	}
	err := r.Fields(ToEnd, visit)
	return strings.TrimSpace(out.String()), err
}

func TestFields(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 3*window)
	inner := bytes.Join([][]byte{tagged(3, Varint, 300), message(2, []byte("abc")), message(9, long)}, nil)
	data := bytes.Join([][]byte{
		message(1, inner), message(2, long), message(7, long),
		append(tagged(4, Fixed64, 0)[:1], 1, 0, 0, 0, 0, 0, 0, 0), append(tagged(5, Fixed32, 0)[:1], 2, 0, 0, 0),
	}, nil)
	want := fmt.Sprintf(`1/2=%d 3/0=300 2/2=3 "abc" 9/2=%d end 2/2=%d "xxx" 7/2=%d 4/1=1 5/5=2`, len(inner), len(long), len(long), len(long))
	for name, in := range map[string]io.Reader{"whole": bytes.NewReader(data), "by halves": iotest.HalfReader(bytes.NewReader(data)), "late end": iotest.DataErrReader(bytes.NewReader(data))} {
		r := NewReader(in, 1<<20)
		if got, err := walk(r); err != nil || got != want || r.Offset() != int64(len(data)) {
			t.Errorf("%s: %v\n%s\n%s", name, err, got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		want string
		data []byte
	}{
		{"truncated-protobuf", tagged(1, Bytes, 5)},
		{"truncated-protobuf", append(tagged(2, Bytes, 5), 'x')},
		{"truncated-protobuf", append(tagged(7, Bytes, 5), 'x')},
		{"truncated-protobuf", tagged(300, Varint, 1)[:1]},
		{"truncated-protobuf", tagged(3, Fixed64, 0)[:1]},
		{"truncated-protobuf", tagged(3, Fixed32, 0)[:1]},
		{"malformed-protobuf", []byte{0}},
		{"malformed-protobuf", tagged(1, 3, 0)},
		{"malformed-protobuf", message(1, tagged(2, Bytes, 9))},
		{"malformed-protobuf", append(message(1, tagged(3, Fixed64, 0)[:1]), make([]byte, 20)...)},
		{"malformed-protobuf", bytes.Repeat([]byte{0xff}, 30)},
		{"malformed-protobuf", append([]byte{1 << 3}, bytes.Repeat([]byte{0xff}, 30)...)},
		{"malformed-protobuf", tagged(1, Bytes, 1<<63)},
		{"message-too-large", append(tagged(2, Bytes, 2<<20), 'x')},
	} {
		if _, err := walk(NewReader(bytes.NewReader(test.data), 1<<20)); slug(err) != test.want {
			t.Errorf("%x: %v, want %s", test.data, err, test.want)
		}
	}
	broken := errors.New("disk")
	for _, data := range [][]byte{nil, tagged(2, Bytes, 5), tagged(7, Bytes, 5)} {
		if _, err := walk(NewReader(io.MultiReader(bytes.NewReader(data), iotest.ErrReader(broken)), 9)); !errors.Is(err, broken) {
			t.Errorf("%x: %v", data, err)
		}
	}
}

func TestNext(t *testing.T) {
	f, rest, ok, err := Next(append(message(2, []byte("abc")), 1))
	if err != nil || !ok || string(f.Data) != "abc" || len(rest) != 1 {
		t.Error(f, rest, ok, err)
	}
	if _, _, ok, err := Next(nil); ok || err != nil {
		t.Error(ok, err)
	}
	for _, data := range [][]byte{{1}, tagged(2, Bytes, 5), {0, 0}} {
		if _, _, _, err := Next(data); slug(err) != "malformed-protobuf" {
			t.Errorf("%x: %v", data, err)
		}
	}
}
