package compilerdiff

// Constants of the runtime on Linux, equal from Go 1.20 to 1.27.
const (
	stackSmall  = 128
	stackGuard  = 928  // 800 + 128
	raceGuard   = 1728 // 800 * 2 + 128
	largestSize = 1 << 30
)

// startSizes are the stack sizes that a goroutine may start with: 2 KiB, and
// more if the collector saw deep stacks.
var startSizes = [...]int64{2048, 4096, 8192}

// StackRules are the constants of a build that decide when a stack grows.
type StackRules struct {
	Root          int64 // depth of a goroutine's function
	ReturnAddress int64 // bytes that a call pushes
	Guard         int64
}

func stackRules(arch string, isRace bool) StackRules {
	rules := StackRules{Root: 40, ReturnAddress: 8, Guard: stackGuard}
	if arch == "arm64" {
		rules.Root, rules.ReturnAddress = 48, 0
	}
	if isRace {
		rules.Guard = raceGuard
	}
	return rules
}

// need returns how deep a function with a stack check reaches for the check.
func need(depth, frame int64) int64 { return depth + max(frame-stackSmall, 0) }

// Grow returns the stack size after a function with a stack check at a depth
// and of a frame was called; equality grows.
func (r StackRules) Grow(size, depth, frame int64) int64 {
	if need(depth, frame) < size-r.Guard {
		return size
	}
	for size *= 2; size-depth < frame+r.Guard && size < largestSize; {
		size *= 2
	}
	return size
}
