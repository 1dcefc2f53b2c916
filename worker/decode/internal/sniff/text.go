package sniff

import (
	"bytes"
	"encoding/json"
	"regexp"
	"unicode/utf8"
)

var (
	growthLine = regexp.MustCompile(`(?m)^runtime: (?:newstack at |newstack:? |stack growths?:)`)
	folded     = regexp.MustCompile(`(?m)^[^\n]*(?:newstack|copystack|morestack)[^\n]*;[^\n]* \d+$|^[^\n]*;[^\n]*(?:newstack|copystack|morestack)[^\n]* \d+$`)
	foldedMark = regexp.MustCompile(`(?m)^# *(?:rate|stack growths?): ?\S`)
	foldedAny  = regexp.MustCompile(`(?m)^[^#\s;][^;\n]*;[^\n]* \d+\r?$`)
	bpfMap     = regexp.MustCompile(`(?m)^@\w*\[[^\n\]]*\n(?:[ \t]+[^\n]*\n)+[^\n]*\]: \d+`)
	bpfGrowth  = regexp.MustCompile(`(?m)^@\w*(?i:grow|stack)\w*\[|^[ \t]+(?:[[:xdigit:]]+ )?runtime\.(?:newstack|copystack|morestack)\b`)
	benchLine  = regexp.MustCompile(`(?m)^Benchmark\S*\s+\d+\s+[0-9.eE+-]+ \S+`)
	testEvent  = regexp.MustCompile(`(?m)^ *\{(?:"Time": ?"[^"\n]*", ?)?"Action": ?"[a-z-]+", ?"(?:Package|Test|Elapsed|Output)": ?`)
	metricType = regexp.MustCompile(`(?m)^# (?:TYPE [A-Za-z_:][\w:.]* (?:counter|gauge|histogram|summary|untyped|unknown|info|stateset|gaugehistogram)|HELP [A-Za-z_:][\w:.]*(?: |$)|SCRAPE \d+)`)
	metricLine = regexp.MustCompile(`^(?:#[^\n]*\n|\s*\n)*[A-Za-z_:][\w:]*(?:\{[^\n}]*\})? [0-9.eE+-]+(?:NaN|Inf)?(?: \d+)?\n`)
	dumpLine   = regexp.MustCompile(`(?m)^goroutine \d+ \[[^\]\n]+\]:$`)
)

// detectText judges lines of text.
func detectText(head []byte) Detection {
	switch {
	case growthLine.Match(head):
		return Detection{Kind: GrowthLog, Detail: GrowthNewstack}
	case bpfMap.Match(head):
		return detectBpftrace(head)
	case benchLine.Match(head):
		return Detection{Kind: Bench, Detail: "go test -bench"}
	case metricType.Match(head):
		return Detection{Kind: MetricsText, Detail: "prometheus text"}
	case folded.Match(head), foldedMark.Match(head) && foldedAny.Match(head):
		return Detection{Kind: GrowthLog, Detail: GrowthFolded}
	case metricLine.Match(head):
		return Detection{Kind: MetricsText, Detail: "prometheus text"}
	case dumpLine.Match(head):
		return Detection{Kind: Unknown, Detail: "goroutine-dump"}
	case bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")):
		return Detection{Kind: Unknown, Detail: "html"}
	case isText(head):
		return Detection{Kind: Unknown, Detail: "text"}
	}
	return Detection{Kind: Unknown, Detail: "binary"}
}

// BenchEvents is the detail of a finding: the output of go test -json, which
// other lines (of its standard error) may precede. Whether there are benchmarks
// in it is seen by who reads all of it: every test prints many lines before.
const BenchEvents = "go test -json"

// The dialects of growth logs, as details of a finding.
const (
	GrowthNewstack = "newstack traces"
	GrowthFolded   = "folded stacks"
	GrowthBpftrace = "bpftrace maps"
)

// detectBpftrace judges maps of stacks: only those of growing stacks are known.
func detectBpftrace(head []byte) Detection {
	if bpfGrowth.Match(head) {
		return Detection{Kind: GrowthLog, Detail: GrowthBpftrace}
	}
	return Detection{Kind: Unknown, Detail: "bpftrace"}
}

func isText(head []byte) bool {
	head = head[:min(len(head), 4<<10)]
	for len(head) > 0 && utf8.FullRune(head) { // the last character may be cut by the window
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 || r < ' ' && r != '\n' && r != '\r' && r != '\t' {
			return false
		}
		head = head[n:]
	}
	return true
}

// detectJSON judges by the keys of the outer objects.
func detectJSON(head []byte) Detection {
	keys := outerKeys(head)
	switch {
	case keys["resourceSpans"], keys["resource_spans"], keys["scopeSpans"]:
		return Detection{Kind: SpansOTLP, Detail: "json"}
	case keys["spans"] && (keys["processes"] || keys["process"] || keys["operationName"] || keys["traceID"]):
		return Detection{Kind: SpansJaeger, Detail: "json"}
	case keys["processes"] && keys["data"], keys["traceID"] && keys["operationName"]:
		return Detection{Kind: SpansJaeger, Detail: "json"}
	case keys["traceId"] && keys["id"]:
		return Detection{Kind: SpansZipkin, Detail: "json"}
	}
	return Detection{Kind: Unknown, Detail: "json"}
}

// outerDepth is how deep keys are examined: data > spans > span in Jaeger's.
const outerDepth = 5

// outerKeys gathers the keys of the outer objects, as far as the text goes.
func outerKeys(head []byte) map[string]bool {
	keys := map[string]bool{}
	decoder := json.NewDecoder(bytes.NewReader(head))
	var isObject []bool // of every open bracket
	wantKey := false
	for {
		token, err := decoder.Token()
		if err != nil {
			return keys
		}
		switch t := token.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				isObject = append(isObject, t == '{')
			} else {
				isObject = isObject[:len(isObject)-1]
			}
			wantKey = len(isObject) > 0 && isObject[len(isObject)-1]
		case string:
			if wantKey && len(isObject) <= outerDepth {
				keys[t] = true
			}
			inObject := len(isObject) > 0 && isObject[len(isObject)-1]
			wantKey = inObject && !wantKey
		default:
			wantKey = len(isObject) > 0 && isObject[len(isObject)-1]
		}
	}
}
