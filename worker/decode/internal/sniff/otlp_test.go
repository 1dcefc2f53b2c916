package sniff

import (
	"os"
	"testing"
)

func TestProtobufOfOTLP(t *testing.T) {
	for _, name := range []string{"pushes.otlp.pb", "distributor.otlp.pb"} {
		data, err := os.ReadFile("../../testdata/spans/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if got := Detect(data, true); got.Kind != SpansOTLP || got.Detail != Protobuf {
			t.Errorf("%s: %+v", name, got)
		}
		for n := 256; n < len(data); n += 97 { // cut anywhere after the first resource
			if got := Detect(data[:n], false); got.Kind != SpansOTLP {
				t.Errorf("%s, %d bytes: %+v", name, n, got)
			}
		}
	}
	if looksLikeOTLP([]byte("\x0a\x04\x08\x01\x10\x02\x32\x00")) {
		t.Error("a profile is taken for spans")
	}
}
