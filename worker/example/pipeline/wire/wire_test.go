package wire

import (
	"errors"
	"reflect"
	"testing"
	"testing/quick"
)

func example(value float64, at int64, text string) Request {
	return Request{Series: []Series{
		{Labels: []Label{{"__name__", "up"}, {"job", text}}, Samples: []Sample{{value, at}, {value + 1, at + 1}}},
		{Labels: []Label{{"__name__", "down"}}},
	}}
}

func same(a, b Request) bool {
	if len(a.Series) != len(b.Series) {
		return false
	}
	for i := range a.Series {
		one, other := a.Series[i], b.Series[i]
		if len(one.Labels) != len(other.Labels) || len(one.Samples) != len(other.Samples) {
			return false
		}
		for j := range one.Labels {
			if one.Labels[j] != other.Labels[j] {
				return false
			}
		}
		for j := range one.Samples {
			if !reflect.DeepEqual(one.Samples[j], other.Samples[j]) {
				return false
			}
		}
	}
	return true
}

func TestWhatIsWrittenIsReadBothWays(t *testing.T) {
	for _, texts := range []Texts{Copy, ZeroCopy} {
		back := func(value float64, at int64, text string) bool {
			wanted := example(value, at, text)
			var got Request
			return got.Unmarshal(wanted.Marshal(), texts) == nil && same(got, wanted)
		}
		if err := quick.Check(back, nil); err != nil {
			t.Error(texts, err)
		}
	}
}

func TestARequestIsUsedAgainWithoutWhatWasInIt(t *testing.T) {
	var request Request
	large, small := example(1, 2, "first"), Request{Series: []Series{{Labels: []Label{{"a", "b"}}}}}
	for _, wanted := range []Request{large, small, large} {
		if err := request.Unmarshal(wanted.Marshal(), ZeroCopy); err != nil || !same(request, wanted) {
			t.Fatalf("%v: got %+v, want %+v", err, request, wanted)
		}
	}
}

func TestOnlyCopiesOutliveTheMessage(t *testing.T) {
	for texts, want := range map[Texts]string{Copy: "job", ZeroCopy: "!!!"} {
		wanted := Request{Series: []Series{{Labels: []Label{{"job", "x"}}}}}
		body := wanted.Marshal()
		var got Request
		if err := got.Unmarshal(body, texts); err != nil {
			t.Fatal(err)
		}
		for i := range body {
			body[i] = '!'
		}
		if name := got.Series[0].Labels[0].Name; name != want {
			t.Errorf("way %d: %q, want %q", texts, name, want)
		}
	}
}

func TestCopyingAllocatesForEachText(t *testing.T) {
	request := example(1, 2, "some text")
	body := request.Marshal()
	per := func(texts Texts) float64 {
		var got Request
		return testing.AllocsPerRun(100, func() {
			if err := got.Unmarshal(body, texts); err != nil {
				t.Fatal(err)
			}
		})
	}
	if copied, kept := per(Copy), per(ZeroCopy); copied < kept+6 {
		t.Errorf("copying six texts allocates %v times, zero-copy %v times", copied, kept)
	}
}

func TestACutMessageIsRefusedOrShorter(t *testing.T) {
	request := example(1, 2, "text")
	body := request.Marshal()
	for end := range body {
		var got Request
		if err := got.Unmarshal(body[:end], Copy); err != nil && !errors.Is(err, ErrTruncated) {
			t.Errorf("cut at %d: %v", end, err)
		}
	}
	if err := new(Request).Unmarshal([]byte{1<<3 | kindBytes, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, Copy); !errors.Is(err, ErrTruncated) {
		t.Errorf("a length beyond the end: %v", err)
	}
}

func FuzzUnmarshal(f *testing.F) {
	request := example(1, 2, "text")
	f.Add(request.Marshal())
	f.Fuzz(func(_ *testing.T, body []byte) {
		var got Request
		_ = got.Unmarshal(body, Copy)
		_ = got.Unmarshal(body, ZeroCopy)
	})
}
