package growthlog

import (
	"bytes"
	"slices"
	"strings"
)

// Folded stacks are a line each, root first, with a count:
//
//	# rate: 1000
//	# duration: 120s
//	main.main;main.work;main.deep 12
//
// A last frame "[2048->4096]" holds the sizes.

func readFolded(c *profileBuilder, input *lines) error {
	for line, ok := input.next(); ok; line, ok = input.next() {
		switch g, isStack := foldedLine(line); {
		case isStack:
			if err := c.addGrown(g); err != nil {
				return err
			}
		case len(bytes.TrimSpace(line)) == 0, c.comment(line):
		default:
			c.info.OtherLines++
		}
	}
	return input.err
}

// addGrown adds a growth whose stack still holds the functions of the runtime
// that grew it.
func (c *profileBuilder) addGrown(g growth) error {
	stack, shrunk := growthOf(g.stack)
	if shrunk {
		c.info.Shrunk += g.count
		return nil
	}
	g.stack = stack
	return c.add(g)
}

func foldedLine(line []byte) (g growth, ok bool) {
	at := bytes.LastIndexByte(line, ' ')
	if at <= 0 || line[0] == '#' || bytes.IndexByte(line[:at], ';') < 0 {
		return g, false
	}
	if g.count, ok = parseNatural(line[at+1:]); !ok {
		return g, false
	}
	for _, name := range strings.Split(string(line[:at]), ";") {
		name = withoutABI(strings.TrimSpace(name))
		if old, grew, isSizes := sizesOf(name); isSizes {
			g.oldBytes, g.newBytes = old, grew
		} else if name != "" {
			g.stack = append(g.stack, frame{name: name})
		}
	}
	slices.Reverse(g.stack)
	return g, true
}

// sizesOf reads "[2048->4096]".
func sizesOf(name string) (oldBytes, newBytes int64, ok bool) {
	if !strings.HasPrefix(name, "[") || !strings.HasSuffix(name, "]") {
		return 0, 0, false
	}
	before, after, found := strings.Cut(name[1:len(name)-1], "->")
	oldBytes, okOld := parseNatural([]byte(before))
	newBytes, okNew := parseNatural([]byte(after))
	return oldBytes, newBytes, found && okOld && okNew && newBytes <= maxStackBytes && oldBytes <= maxStackBytes
}
