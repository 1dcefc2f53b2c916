// Package profilegen writes large, realistic profiles from a seed, for
// benchmarks and tests of limits.
package profilegen

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
)

// ProfileShape describes what to write.
type ProfileShape struct {
	Seed      uint64 // fixes the call graph
	Draw      uint64 // which draw of samples from it
	Pool      bool   // stacks are fixed by the seed too: draws differ in values only
	Samples   int
	Functions int
	Depth     int // the deepest stack; the shallowest has half of it
	Slower    int // percent by which the values of one function in eight grow
	Recursive int // percent of calls that go back to a function on the stack
	Branching int // percent of calls, in addition, that leave the common path at any level
	Labels    int // values of a label that every sample has one of; 0: no labels
	Lines     int // lines of a function that call something, any of which may make any call; 0: three, fixed by the call
}

// callSites is how many lines of a function call something.
const callSites = 3

// labelStrings is where the strings begin that labels need: the key, then the values.
const labelStrings = 7

// Write writes a CPU profile in the order in which pprof writes it: samples
// before the locations that they name. Stacks are walks through one random
// call graph: near the root most go the same way, further out they part.
func Write(w io.Writer, shape ProfileShape) error {
	g := &generator{w: w, shape: shape, random: rand.New(rand.NewPCG(shape.Seed, shape.Draw))}
	g.walks = g.random
	if shape.Pool {
		g.walks = rand.New(rand.NewPCG(shape.Seed, 0))
	}
	g.strings = append(g.strings, "", "samples", "count", "cpu", "nanoseconds", "/srv/app/bin/server", "0123456789abcdef")
	g.bytes(1, pair(1, 1, 2, 2))
	g.bytes(1, pair(1, 3, 2, 4))
	if shape.Labels > 0 {
		g.strings = append(g.strings, "request")
	}
	for value := range shape.Labels {
		g.strings = append(g.strings, fmt.Sprintf("request-%08d", value))
	}
	for range shape.Samples {
		g.sample()
	}
	g.bytes(3, pair(1, 1, 2, 0x400000, 3, 0x4000000, 5, 5, 6, 6, 7, 1))
	for function := range shape.Functions {
		for site := range g.sites() {
			g.location(function, site)
		}
	}
	for function := range shape.Functions {
		g.function(function)
	}
	for _, text := range g.strings {
		g.bytes(6, []byte(text))
	}
	g.bytes(11, pair(1, 3, 2, 4))
	g.number(12, 10_000_000)
	g.number(9, 1_700_000_000_000_000_000)
	g.number(10, 30_000_000_000)
	g.flush()
	return g.err
}

type generator struct {
	w       io.Writer
	shape   ProfileShape
	random  *rand.Rand // values
	walks   *rand.Rand // stacks
	strings []string
	out     []byte
	err     error
	stack   []uint64
	file    uint64
}

// pair encodes (field, varint) pairs.
func pair(numbers ...uint64) []byte {
	var out []byte
	for i := 0; i < len(numbers); i += 2 {
		out = binary.AppendUvarint(out, numbers[i]<<3)
		out = binary.AppendUvarint(out, numbers[i+1])
	}
	return out
}

func (g *generator) bytes(field uint64, body []byte) {
	g.out = binary.AppendUvarint(g.out, field<<3|2)
	g.out = binary.AppendUvarint(g.out, uint64(len(body)))
	g.out = append(g.out, body...)
	if len(g.out) > 1<<16 {
		g.flush()
	}
}

func (g *generator) number(field, value uint64) {
	g.out = append(g.out, pair(field, value)...)
}

func (g *generator) flush() {
	if g.err == nil {
		_, g.err = g.w.Write(g.out)
	}
	g.out = g.out[:0]
}

// sample writes one walk from the root.
func (g *generator) sample() {
	depth := g.shape.Depth/2 + g.walks.IntN(g.shape.Depth/2+1)
	g.stack = g.stack[:0]
	function := uint64(g.walks.IntN(4)) % uint64(g.shape.Functions)
	for level := range depth {
		choice := g.choice(level, depth)
		g.stack = append(g.stack, function*g.sites()+g.site(choice)+1)
		if g.shape.Recursive > 0 && g.walks.IntN(100) < g.shape.Recursive {
			function = (g.stack[g.walks.IntN(len(g.stack))] - 1) / g.sites()
			continue
		}
		if g.shape.Branching > 0 && g.walks.IntN(100) < g.shape.Branching {
			choice = 6 + g.walks.Uint64N(uint64(g.shape.Functions))
		}
		function = callee(g.shape.Seed, function, choice) % uint64(g.shape.Functions)
	}
	var ids, body []byte
	for i := len(g.stack) - 1; i >= 0; i-- { // leaf first
		ids = binary.AppendUvarint(ids, g.stack[i])
	}
	count := 1 + uint64(g.random.ExpFloat64()*2)
	if leaf := (g.stack[len(g.stack)-1] - 1) / g.sites(); leaf%8 == 3 {
		count += count * uint64(g.shape.Slower) / 100
	}
	values := binary.AppendUvarint(binary.AppendUvarint(nil, count), count*10_000_000)
	body = append(append(append(body, 1<<3|2), binary.AppendUvarint(nil, uint64(len(ids)))...), ids...)
	body = append(append(append(body, 2<<3|2), byte(len(values))), values...)
	if g.shape.Labels > 0 {
		label := pair(1, labelStrings, 2, labelStrings+1+g.walks.Uint64N(uint64(g.shape.Labels)))
		body = append(append(append(body, 3<<3|2), byte(len(label))), label...)
	}
	g.bytes(2, body)
}

// sites is how many lines of each function call something.
func (g *generator) sites() uint64 {
	return uint64(max(g.shape.Lines, callSites))
}

// site picks the line that makes a call.
func (g *generator) site(choice uint64) uint64 {
	if g.shape.Lines > 0 {
		return g.walks.Uint64N(g.sites())
	}
	return choice % callSites
}

// choice picks which of its calls a function makes: nearly always the first in
// the middleware near the root, anything near the leaf.
func (g *generator) choice(level, depth int) uint64 {
	straight := 0.97 - 0.35*float64(level)/float64(depth)
	choice := uint64(0)
	for choice < 5 && g.walks.Float64() > straight {
		choice++
	}
	return choice
}

// callee returns the function called: fixed by the seed, so that all walks share
// one call graph.
func callee(seed, function, choice uint64) uint64 {
	x := seed*0x9E3779B97F4A7C15 + function*6 + choice + 1
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

func (g *generator) location(function int, site uint64) {
	id := uint64(function)*g.sites() + site + 1
	body := pair(1, id, 2, 1, 3, 0x400000+id*16)
	if function%4 == 1 && site == 2 { // one call site in twelve was inlined
		inlined := callee(g.shape.Seed, uint64(function), 9) % uint64(g.shape.Functions)
		line := pair(1, inlined+1, 2, 10+inlined%90)
		body = append(append(body, 4<<3|2, byte(len(line))), line...)
	}
	line := pair(1, uint64(function)+1, 2, uint64(10+function%500)+7*site)
	body = append(append(body, 4<<3|2, byte(len(line))), line...)
	g.bytes(4, body)
}

func (g *generator) function(i int) {
	pkg := i / 40
	name := len(g.strings)
	g.strings = append(g.strings, fmt.Sprintf("example.com/service/internal/pkg%03d.(*Handler%02d).Method%04d", pkg, i/8%5, i))
	if i%8 == 0 {
		g.strings = append(g.strings, fmt.Sprintf("/src/example.com/service/internal/pkg%03d/file%d.go", pkg, i/8%5))
		g.file = uint64(len(g.strings) - 1)
	}
	g.bytes(5, pair(1, uint64(i)+1, 2, uint64(name), 3, uint64(name), 4, g.file, 5, uint64(5+i%500)))
}
