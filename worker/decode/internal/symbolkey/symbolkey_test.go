package symbolkey

import "testing"

func TestKey(t *testing.T) {
	for name, want := range map[string]string{
		// plain names pass
		"main.main":                    "main.main",
		"main.(*T).Method":             "main.(*T).Method",
		"runtime.gcBgMarkWorker":       "runtime.gcBgMarkWorker",
		"gopkg.in/yaml%2ev3.unmarshal": "gopkg.in/yaml%2ev3.unmarshal",
		"example.com/a/b.v2.F":         "example.com/a/b.v2.F",
		"gcWriteBarrier":               "gcWriteBarrier",
		"":                             "",
		"main.init.0":                  "main.init.0",
		"main.functional":              "main.functional",
		"main.func":                    "main.func",
		"main.wrap1":                   "main.wrap1",
		"main.gowrap":                  "main.gowrap",
		"main.f-rangefoo":              "main.f-rangefoo",
		"net/http.(*conn).serve":       "net/http.(*conn).serve",
		"[unknown] libc.so.6":          "[unknown] libc.so.6",
		"[kernel.kallsyms]_text":       "[kernel.kallsyms]_text",
		// closures: numbers go, the mark stays
		"main.New.func2":               "main.New.func",
		"main.New.func1.2":             "main.New.func",
		"main.New.func1.2.3":           "main.New.func",
		"main.New.func1.func2":         "main.New.func",
		"main.init.0.func1":            "main.init.0.func",
		"main.glob..func12":            "main.glob..func",
		"main.(*T).Run.func1":          "main.(*T).Run.func",
		"runtime.gcBgMarkWorker.func2": "runtime.gcBgMarkWorker.func",
		"main.consume.consume.func1.(*Ingester).Ingest.func3": "main.consume.consume.func.(*Ingester).Ingest.func",
		"main.New.func10": "main.New.func",
		"main.func1":      "main.func",
		// wrappers of go and defer statements
		"main.New.gowrap1":                 "main.New",
		"main.New.func2.gowrap1":           "main.New.func",
		"main.New.gowrap1.2":               "main.New",
		"main.New.deferwrap3":              "main.New",
		"net/http.(*Server).Serve.gowrap3": "net/http.(*Server).Serve",
		// bodies of range-over-func loops
		"main.f-range1":             "main.f-range",
		"main.f.func1-range2":       "main.f.func-range",
		"main.f.func3-range2.func4": "main.f.func-range",
		// type arguments
		"main.Map[...]":          "main.Map[...]",
		"main.Map[go.shape.int]": "main.Map[...]",
		"main.Map[go.shape.[]uint8,map[string]int].func1": "main.Map[...].func",
		"main.(*Tree[go.shape.struct { F []int }]).Get":   "main.(*Tree[...]).Get",
		"main.A[int].B[...]":                              "main.A[...].B[...]",
		"main.Map[[]int]":                                 "main.Map[...]",
		// not Go's brackets
		"operator[]":              "operator[]",
		"-[NSString length]":      "-[NSString length]",
		"<[T] as core::Ord>::cmp": "<[T] as core::Ord>::cmp",
		"broken[":                 "broken[",
		"broken[int":              "broken[int",
		"a[int]]":                 "a[int]]",
		"a[int].b[.gowrap1":       "a[int].b[",
		// hostile
		"<img onerror=alert(1)>": "<img onerror=alert(1)>",
		"=cmd()":                 "=cmd()",
		".func1":                 ".func",
		"..":                     "..",
		"日本.関数.func1":            "日本.関数.func",
	} {
		if got := Key(name); got != want {
			t.Errorf("Key(%q) = %q, want %q", name, got, want)
		}
		if again := Key(Key(name)); again != Key(name) {
			t.Errorf("Key(%q) is not stable: %q", Key(name), again)
		}
	}
}

func FuzzKey(f *testing.F) {
	f.Add("main.New.func2.gowrap1")
	f.Add("a[b[c]].func1-range2.3")
	f.Fuzz(func(t *testing.T, name string) {
		key := Key(name)
		if len(key) > len(name)+3*len(name) {
			t.Errorf("Key(%q) = %q grows", name, key)
		}
		if Key(key) != key {
			t.Errorf("Key(%q) = %q, whose key is %q", name, key, Key(key))
		}
	})
}
