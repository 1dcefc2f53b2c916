// Package compilerdiff states what the compiler did differently in two builds,
// for the functions on given stacks: inlining, frames, stack checks, calls into
// the runtime, and stacks that are predicted to grow once more.
package compilerdiff

import (
	"fmt"

	"slowpath.dev/decode/internal/gobinary"
)

// Version is the version of the report.
const Version = 1

// Report is what differs between two builds.
type Report struct {
	Version     int          `json:"version"`
	Base        Build        `json:"base"`
	Candidate   Build        `json:"candidate"`
	Differences []Difference `json:"differences"`
	Unread      []Unread     `json:"unread"`
	Paths       []Path       `json:"paths"`
	Findings    []Finding    `json:"findings"`
	Omitted     int          `json:"omitted"` // findings beyond the limit
	HotPaths    []HotPath    `json:"hot_paths"`
	OnlyPGO     bool         `json:"only_pgo"`     // the builds differ in PGO settings only
	OtherBuilds []string     `json:"other_builds"` // sides whose profiles are of another build than the program
	Addressed   []string     `json:"addressed"`    // sides whose stacks are followed by addresses of their profiles
	Instances   []Instance   `json:"instances"`    // of generic functions, that differ

	OmittedInstances int `json:"omitted_instances"` // beyond the limit
}

// Build is what identifies a build.
type Build struct {
	Go      string  `json:"go"`
	Arch    string  `json:"arch"`
	BuildID string  `json:"build_id"`
	PGO     *string `json:"pgo"`

	PGOSHA256 *string `json:"pgo_sha256"` // of the profile's content; null if it is unknown
}

// Difference is a setting that may change all code.
type Difference struct {
	Setting   string `json:"setting"`
	Base      string `json:"base"`
	Candidate string `json:"candidate"`
}

// Unread is a stack that could not be followed to its end on a build.
type Unread struct {
	Side     string `json:"side"`
	Function string `json:"function"` // the first that was not reached
	Stacks   int    `json:"stacks"`
}

// Path is a stack on both builds.
type Path struct {
	Stack     []string `json:"stack"`
	Share     float64  `json:"share"` // of the values of its side
	Base      Side     `json:"base"`
	Candidate Side     `json:"candidate"`
}

// Side is a path on one build. Distance is the room in the final stack size:
// from what the path needs to the depth from which a call does not fit.
type Side struct {
	Depth    [2]int64 `json:"depth"` // of the last function, lowest and highest
	Need     [2]int64 `json:"need"`  // how deep its stack checks reach
	Limit    int64    `json:"limit"` // from which a call does not fit the final size
	Start    int64    `json:"start"`
	Final    int64    `json:"final"`
	Distance int64    `json:"distance"`
	Frames   []Frame  `json:"frames"`

	Runtime *RuntimeCall `json:"runtime,omitempty"` // of hot paths only
}

// RuntimeCall is the hot call into the runtime along a path that reaches deepest.
type RuntimeCall struct {
	Function string   `json:"function"`
	Need     [2]int64 `json:"need"`
}

// Frame is one function with a frame on a path. Depth is the highest.
type Frame struct {
	Function string `json:"function"`
	Depth    int64  `json:"depth"`
	Frame    int32  `json:"frame"`
	Check    bool   `json:"check"`
	Wrapper  bool   `json:"wrapper"`
}

// Grades of evidence.
const (
	GradeBinary      = "binary"
	GradePredicted   = "predicted"
	GradePossible    = "possible"
	GradeInformation = "information"
)

// Kinds of findings, in the order in which they are listed.
const (
	EdgeCrossed       = "edge-crossed"
	InliningLost      = "inlining-lost"
	CallNew           = "call-new"
	HeapAllocationNew = "heap-allocation-new"
	WriteBarrierNew   = "write-barrier-new"
	BoundsChecks      = "bounds-checks"
	FrameGrew         = "frame-grew"
	StackCheck        = "stack-check"
	InliningGained    = "inlining-gained"
	FrameShrank       = "frame-shrank"
	CodeSize          = "code-size"
)

var kindOrder = []string{
	EdgeCrossed, InliningLost, CallNew, HeapAllocationNew, WriteBarrierNew, BoundsChecks, FrameGrew, StackCheck,
	InliningGained, FrameShrank, CodeSize,
}

// Values are what a finding counts on one side.
type Values struct {
	Inlined *int  `json:"inlined,omitempty"`
	Called  *int  `json:"called,omitempty"`
	Bytes   *int  `json:"bytes,omitempty"`
	Check   *bool `json:"check,omitempty"`
}

// Finding is one statement on the compiler's work. BuildsDiffer lowers its
// grade: another Go version or setting may be the reason, or another PGO profile.
type Finding struct {
	Kind         string  `json:"kind"`
	Grade        string  `json:"grade"`
	BuildsDiffer bool    `json:"builds_differ"`
	Function     string  `json:"function"`            // the caller, if there is a callee
	Arguments    string  `json:"arguments,omitempty"` // of an instance of a generic function
	Callee       string  `json:"callee,omitempty"`
	File         string  `json:"file,omitempty"` // base name
	StartLine    int32   `json:"start_line,omitempty"`
	Line         int32   `json:"line,omitempty"`
	CalleeFrame  *int32  `json:"callee_frame,omitempty"`
	CalleeFile   string  `json:"callee_file,omitempty"`
	CalleeLine   int32   `json:"callee_line,omitempty"` // of its declaration
	Base         *Values `json:"base,omitempty"`
	Candidate    *Values `json:"candidate,omitempty"`
	Edge         *Edge   `json:"edge,omitempty"`
}

// Edge is a stack size that a path needs in the candidate and not in the base.
type Edge struct {
	Exact             bool     `json:"exact"`
	From              int64    `json:"from"`
	To                int64    `json:"to"`
	Start             int64    `json:"start"`
	Starts            []int64  `json:"starts"` // stack sizes at the start for which it holds
	Depth             int64    `json:"depth"`  // from which a call does not fit
	BaseNeed          [2]int64 `json:"base_need"`
	CandidateNeed     [2]int64 `json:"candidate_need"`
	BaseDistance      int64    `json:"base_distance"`
	CandidateDistance int64    `json:"candidate_distance"`
	Path              int      `json:"path"`
	Paths             int      `json:"paths"` // how many cross at this function
}

func buildOf(p *gobinary.Program) Build {
	b := Build{Go: p.GoVersion, Arch: p.Arch, BuildID: p.BuildID}
	if p.PGO != "" {
		b.PGO = &p.PGO
	}
	if p.PGO != "" && p.PGOSHA256 != "" {
		b.PGOSHA256 = &p.PGOSHA256
	}
	return b
}

// codeSettings are the build settings that may change all code.
var codeSettings = []string{
	"GOAMD64", "GOARM64", "-race", "-msan", "-asan", "-cover", "-gcflags", "-compiler", "GOEXPERIMENT", "GODEBUG", "-buildmode",
}

// isOnlyPGO reports whether builds of one commit differ in PGO settings only.
func isOnlyPGO(base, candidate *gobinary.Program, differences []Difference) bool {
	revision := base.Settings["vcs.revision"]
	return len(differences) == 1 && differences[0].Setting == pgoSetting && revision == candidate.Settings["vcs.revision"]
}

func differencesOf(base, candidate *gobinary.Program) []Difference {
	found := []Difference{}
	add := func(setting, ours, theirs string) {
		if ours != theirs {
			found = append(found, Difference{setting, ours, theirs})
		}
	}
	add("Go version", base.GoVersion, candidate.GoVersion)
	for _, setting := range codeSettings {
		add(setting, base.Settings[setting], candidate.Settings[setting])
	}
	ours, theirs := pgoSettings(base, candidate)
	add(pgoSetting, ours, theirs)
	return found
}

// pgoSettings returns what of the PGO profiles is compared: their content if it is
// known of both, whatever the paths are, else their paths.
func pgoSettings(base, candidate *gobinary.Program) (ours, theirs string) {
	b, c := buildOf(base), buildOf(candidate)
	switch {
	case b.PGOSHA256 == nil || c.PGOSHA256 == nil:
		return base.PGO, candidate.PGO
	case *b.PGOSHA256 == *c.PGOSHA256:
		return "", ""
	}
	return fmt.Sprintf("%s (SHA-256 %.12s)", base.PGO, *b.PGOSHA256), fmt.Sprintf("%s (SHA-256 %.12s)", candidate.PGO, *c.PGOSHA256)
}
