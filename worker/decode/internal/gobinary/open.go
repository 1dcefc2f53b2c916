package gobinary

import "slowpath.dev/decode/internal/inputerror"

// Limits bound what is read of one executable.
type Limits struct {
	Loaded    int64 // bytes of the segments that are loaded
	Functions int64 // functions of the table
	Inlined   int64 // nodes of all inline trees together
	Strings   int64 // bytes of all names together
	Text      int64 // bytes of one name that are retained
}

// DefaultLimits returns the bounds used without flags.
func DefaultLimits() Limits {
	return Limits{Loaded: 512 << 20, Functions: 4 << 20, Inlined: 16 << 20, Strings: 256 << 20, Text: 16 << 10}
}

// Open reads the executable at a path. Errors of the input are *inputerror.InputError.
func Open(path string, limits Limits) (*Program, error) {
	return nil, inputerror.New("not-elf", "The file %q is not an ELF executable.", path)
}
