package pprofread

import (
	"bytes"
	"testing"

	"slowpath.dev/decode/internal/profilefixture"
)

func TestTextProfilesAreNamedByTheirComments(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"goroutine": {
			"goroutine profile: total 3\n2 @ 0x11 0x21 0x31\n#\t0x20\tmain.worker.func1+0xb0\t/a b/main.go:12\n#\t0x30\tmain.inner+0x1\t\t/m.go:3\n#\t0x30\tmain.outer+0x2\t/m.go:9\n\n" +
				"1 @ 0x21\n#\t0x20\tmain.other+0x1\t/x.go:1\n",
			"(root) 3\n  main.outer 2\n    main.inner 2\n      main.worker.func 2\n        [unknown] 2 self 2\n  main.worker.func 1 self 1\n",
		},
		"the end of all goroutines": {
			"goroutine profile: total 2\n1 @ 0x21 0x91\n#\t0x20\tmain.a+0x1\t/a.go:1\n\n1 @ 0x31 0x91\n#\t0x30\tmain.b+0x1\t/a.go:2\n",
			"(root) 2\n  main.a 1 self 1\n  main.b 1 self 1\n",
		},
		"two ends": {
			"goroutine profile: total 2\n1 @ 0x21 0x91\n#\t0x20\tmain.a+0x1\t/a.go:1\n\n1 @ 0x31 0x95\n#\t0x30\tmain.b+0x1\t/a.go:2\n",
			"(root) 2\n  [unknown] 2\n    main.a 1 self 1\n    main.b 1 self 1\n",
		},
		"mutex": {
			"--- mutex:\ncycles/second=1000000000\nsampling period=1\n500 2 @ 0x21\n#\t0x20\tsync.(*Mutex).Unlock+0x5\t/sync.go:5\n",
			"(root) 2/500\n  sync.(*Mutex).Unlock 2/500 self 2/500\n",
		},
		"lines that are no frames": {
			"goroutine profile: total 1\n1 @ 0x21\n#\t0x20\tmain.a\n#\t0xzz\tmain.a+0x1\t/a.go:1\n#\t0x20\tmain.a+0x1\t/a.go\n#\t0x20\tmain.a+0x1\t/a.go:x\n#\t0x20\t+0x1\t/a.go:1\n",
			"(root) 1\n  [unknown] 1 self 1\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Read(bytes.NewReader([]byte(test.text)), options())
			if err != nil {
				t.Fatal(err)
			}
			if got := profilefixture.Draw(f); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
		})
	}
}
