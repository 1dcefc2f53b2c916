package traceintern

// Kind sorts reasons for the series of waiting goroutines.
type Kind uint8

// The kinds of reasons.
const (
	Synchronization Kind = iota
	Network
	Sleep
	GCWorker
	OtherReason
)

// maxReasons bounds the distinct reasons; the runtime knows about thirty.
const maxReasons = 64

// The reasons that do not come from a block event.
const (
	ReasonBefore      = iota // runnable or waiting before it was first seen
	ReasonCreated            // just begun
	ReasonSyscall            // back from a system call
	ReasonUnspecified        // the trace has none
	ReasonOverflow           // more reasons than the runtime could have
	ReasonPreempted
	firstOfTrace
)

// WakeReasonInterner numbers why goroutines became runnable: what they had waited for.
type WakeReasonInterner struct {
	names  *StringInterner
	byName map[string]uint8
	list   []uint32
	kinds  []Kind
	blocks []bool
}

// NewReasons makes a table of the fixed reasons.
func NewReasons(strings *StringInterner) *WakeReasonInterner {
	r := &WakeReasonInterner{names: strings, byName: map[string]uint8{}}
	for _, name := range [firstOfTrace]string{"(before the trace)", "created", "syscall exit", "unspecified", Overflow, "preempted"} {
		r.Of(name)
	}
	r.byName[""] = ReasonUnspecified
	return r
}

// Coroutines makes reasons that the trace leaves empty mean a switch between
// coroutines: from Go 1.22 on only those have none.
func (r *WakeReasonInterner) Coroutines() { r.byName[""] = r.Of("coroutine") }

// Of returns the number of a reason as the trace spells it.
func (r *WakeReasonInterner) Of(name string) uint8 {
	if i, ok := r.byName[name]; ok {
		return i
	}
	if len(r.list) >= maxReasons {
		return ReasonOverflow
	}
	i := uint8(len(r.list))
	r.byName[name] = i
	r.list = append(r.list, r.names.Intern(name))
	r.kinds = append(r.kinds, kindOf(name))
	r.blocks = append(r.blocks, name == "sync" || name == "chan send")
	return i
}

func kindOf(name string) Kind {
	switch name {
	case "network":
		return Network
	case "sleep":
		return Sleep
	case "sync", "sync.(*Cond).Wait", "chan send", "chan receive", "select", "coroutine":
		return Synchronization
	case "GC mark assist wait for work", "wait until GC ends", "GC background sweeper wait", "GC weak to strong wait":
		return GCWorker
	}
	return OtherReason
}

// Name returns the string of a reason.
func (r *WakeReasonInterner) Name(i uint8) uint32 { return r.list[i] }

// Blocks returns whether a goroutine with this reason wants to continue and cannot: on a lock, or
// with a value that no goroutine receives yet. A receiver may just have nothing to do.
func (r *WakeReasonInterner) Blocks(i uint8) bool { return r.blocks[i] }

// Kind returns the kind of a reason.
func (r *WakeReasonInterner) Kind(i uint8) Kind { return r.kinds[i] }
