package wire

import (
	"errors"
	"testing"
)

func TestFramesComeBackAsTheyWereSent(t *testing.T) {
	sent := []Sample{{ID: []byte("a{b=c}"), TimeNs: 1_000, Value: 1.5}, {ID: []byte(""), TimeNs: 900, Value: -2}}
	frame := AppendFrame(nil, 950, sent)[4:]
	got, err := Decode(frame)
	if err != nil || len(got) != 2 {
		t.Fatalf("decoded %d samples, %v", len(got), err)
	}
	for i := range sent {
		if string(got[i].ID) != string(sent[i].ID) || got[i].TimeNs != sent[i].TimeNs || got[i].Value != sent[i].Value {
			t.Errorf("sample %d is %v, sent was %v", i, got[i], sent[i])
		}
	}
	Restamp(frame, 2_000)
	if got, _ := Decode(frame); got[0].TimeNs != 2_050 {
		t.Errorf("restamped by 1,050 ns, the first sample is at %d", got[0].TimeNs)
	}
}

func TestCutFramesAreRefused(t *testing.T) {
	frame := AppendFrame(nil, 0, []Sample{{ID: []byte("series"), Value: 1}})[4:]
	for length := range len(frame) {
		if _, err := Decode(frame[:length]); !errors.Is(err, ErrFrame) {
			t.Errorf("%d of %d bytes: %v", length, len(frame), err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(AppendFrame(nil, 5, []Sample{{ID: []byte("x"), Value: 3}})[4:])
	f.Fuzz(func(t *testing.T, frame []byte) {
		samples, err := Decode(frame)
		if err == nil && len(samples) > MaxSamples {
			t.Fatalf("%d samples", len(samples))
		}
	})
}
