package gobinary_test

import (
	"bufio"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// prologueLength is how many instructions of a function are searched for the one
// that makes room on the stack.
const prologueLength = 14

var (
	subtracted = regexp.MustCompile(`\tSUBQ \$0x([0-9a-f]+), SP`)
	added      = regexp.MustCompile(`\tADDQ \$-0x([0-9a-f]+), SP`)

	// arm64: one store that moves the stack pointer, or a subtraction in R20 of a number in R27 if the frame is large
	stored  = regexp.MustCompile(`\tMOVD\.W R30, -(\d+)\(RSP\)`)
	lowered = regexp.MustCompile(`\tSUB \$(?:(\d+)|\((\d+)<<12\)), (?:RSP|R20), (?:RSP|R20)\b`)
	number  = regexp.MustCompile(`\tMOVD \$(\d+), R27`)
	byR27   = regexp.MustCompile(`\tSUB R27, RSP, (?:RSP|R20)\b`)
)

// prologues returns the frame that the first instructions of each function make, by
// address, as `go tool objdump` prints them.
func prologues(t *testing.T, path string) map[uint64]int32 {
	t.Helper()
	command := exec.Command("go", "tool", "objdump", path)
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Skipf("no objdump: %v", err)
	}
	frames := map[uint64]int32{}
	var entry uint64
	var seen int
	var inR27 int32
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "TEXT ") {
			entry, seen, inR27 = 0, 0, 0
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 4 || seen >= prologueLength {
			continue
		}
		if seen++; seen == 1 {
			if entry, err = strconv.ParseUint(fields[1], 0, 64); err != nil {
				t.Fatal(err)
			}
			frames[entry] = 0
		}
		switch room, isLast := roomOf(line); {
		case room > 0:
			frames[entry] += room
			if isLast {
				seen = prologueLength
			}
		case byR27.MatchString(line):
			frames[entry] += inR27
		case strings.Contains(line, "\tPUSHQ BP"):
			frames[entry] += 8
		}
		if found := number.FindStringSubmatch(line); found != nil {
			constant, _ := strconv.ParseInt(found[1], 10, 32)
			inR27 = int32(constant)
		}
		if strings.Contains(line, "\tRET") || strings.Contains(line, "\tMOVD R20, RSP") {
			seen = prologueLength
		}
	}
	if err := command.Wait(); err != nil {
		t.Skipf("no objdump: %v", err)
	}
	return frames
}

// roomOf returns the bytes that an instruction makes room for on the stack, and
// whether none follows it.
func roomOf(line string) (bytes int32, isLast bool) {
	if found := stored.FindStringSubmatch(line); found != nil {
		room, _ := strconv.ParseInt(found[1], 10, 32)
		return int32(room), true
	}
	if found := lowered.FindStringSubmatch(line); found != nil {
		room, _ := strconv.ParseInt(found[1]+found[2], 10, 19)
		if found[2] != "" {
			room <<= 12
		}
		return int32(room), false
	}
	for _, pattern := range []*regexp.Regexp{subtracted, added} {
		if found := pattern.FindStringSubmatch(line); found != nil {
			if room, err := strconv.ParseInt(found[1], 16, 32); err == nil {
				return int32(room), true
			}
		}
	}
	return 0, false
}

// checkPrologues checks that at least this share of the frames equal the prologues.
func checkPrologues(t *testing.T, path string, least float64) {
	t.Helper()
	program, want := open(t, path), prologues(t, path)
	equal, different, names := 0, 0, []string{}
	for _, f := range program.Functions {
		frame, known := want[f.Entry]
		switch {
		case !known || !strings.Contains(f.Name, "."): // without a package: C
		case frame == f.Frame:
			equal++
		default:
			if different++; len(names) < 40 {
				names = append(names, f.Name+" "+strconv.Itoa(int(f.Frame))+"/"+strconv.Itoa(int(frame)))
			}
		}
	}
	name := program.GoVersion
	if program.Arch != "amd64" {
		name += "-" + program.Arch
	}
	fmt.Printf("measured prologues-%s equal=%d functions=%d damaged=%d\n", name, equal, equal+different, program.Damaged)
	t.Logf("%d of %d frames equal the prologue; different: %s", equal, equal+different, strings.Join(names, ", "))
	if total := equal + different; total < len(program.Functions)*9/10 || float64(equal) < least*float64(total) {
		t.Errorf("%d of %d frames are equal; %d functions", equal, total, len(program.Functions))
	}
}

func TestFramesEqualPrologues(t *testing.T) { checkPrologues(t, build(t), 0.995) }

// Sizes and entries equal those of the symbol table.
func TestSizesEqualSymbols(t *testing.T) {
	path := build(t)
	output, err := exec.Command("go", "tool", "nm", "-size", "-type", path).Output()
	if err != nil {
		t.Skipf("no nm: %v", err)
	}
	sizes := map[uint64][]uint64{}
	for line := range strings.Lines(string(output)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || strings.ToUpper(fields[2]) != "T" {
			continue
		}
		addr, _ := strconv.ParseUint(fields[0], 16, 64)
		size, _ := strconv.ParseUint(fields[1], 10, 64)
		sizes[addr] = append(sizes[addr], size)
	}
	program, different := open(t, path), []string{}
	for _, f := range program.Functions {
		matches := false
		for _, size := range sizes[f.Entry] {
			matches = matches || size == uint64(f.Size)
		}
		if !matches {
			different = append(different, f.Name)
		}
	}
	if len(different) > len(program.Functions)/500 {
		t.Errorf("%d of %d sizes differ: %q", len(different), len(program.Functions), different)
	}
}
