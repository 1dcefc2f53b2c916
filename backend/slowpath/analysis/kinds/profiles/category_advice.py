"""One page of texts: what each corner of the runtime does when it takes more time, and what usually helps.

Written by hand, to be read and corrected as prose by people who know Go. Keyed by category and, where it changes the
story, by the category of the entry (the runtime function that user code called): channel operations spend half of
their time in runtime locks, and string conversions most of theirs in allocation, so that the category alone would
name the wrong cause.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class CategoryAdvice:
    """What people call it, what happens, and what usually helps."""

    title: str
    mechanism: str
    advice: str


TEXTS: dict[str, CategoryAdvice] = {
    "total": CategoryAdvice(
        "All CPU", "The whole process uses more CPU, and no single part stands out.", "More profiles would show where."
    ),
    "app": CategoryAdvice(
        "The application's own code",
        "Samples that end in user or library code rather than in the runtime.",
        "The functions that changed most are listed on their own.",
    ),
    "stack-growth": CategoryAdvice(
        "Stack growth (morestack)",
        "A goroutine starts on a small stack (2 KiB, or the adaptive average). When a call does not fit, the runtime "
        "allocates one twice as large and copies everything, adjusting every pointer. A deeper call chain, a larger "
        "frame, or a helper that is no longer inlined can push each new goroutine over a size boundary, and each pays "
        "again.",
        "Let long-lived workers take the jobs instead of a goroutine per job, so that the stack grows once. Look for a "
        "call that was inlined before (go build -gcflags=-m), for large arrays by value, and for recursion on the path.",
    ),
    "gc": CategoryAdvice(
        "Garbage collection",
        "Marking, assists and sweeping follow the allocation rate and the size of the live heap. More garbage means "
        "more cycles; more pointers mean longer ones.",
        "Reduce allocations on the paths named here; they pay for it. Reuse buffers, preallocate, keep pointer-free "
        "data in flat slices. GOGC and GOMEMLIMIT trade memory for fewer cycles, after that.",
    ),
    "gc-mark": CategoryAdvice(
        "Marking by the garbage collector",
        "Background workers trace all live pointers in each cycle. Cost per cycle follows the live heap and its "
        "pointers, cycles per second follow the allocation rate.",
        "Allocate less on the paths named here, or keep fewer pointers alive (flat slices, indices instead of "
        "pointers). A larger GOGC or a GOMEMLIMIT makes cycles rarer.",
    ),
    "gc-assist": CategoryAdvice(
        "GC assist work",
        "When allocation outruns the background workers, the allocating goroutine must mark before it may go on. This "
        "is latency on the request itself, not in the background.",
        "Allocate less on the path named here. If bursts cause it, a larger GOGC or a GOMEMLIMIT with headroom starts "
        "cycles with more slack.",
    ),
    "gc-sweep": CategoryAdvice(
        "Sweeping by the garbage collector",
        "After each cycle every span is swept before it is used again, by a background goroutine or by whoever "
        "allocates next.",
        "It falls with the number of cycles: allocate less on the paths named here, or make cycles rarer.",
    ),
    "gc-scavenge": CategoryAdvice(
        "Returning memory to the system",
        "The scavenger gives free pages back; pages that are needed again soon must be faulted in once more.",
        "Look for a heap that breathes: large buffers made and dropped. A GOMEMLIMIT close to the live heap also "
        "causes this.",
    ),
    "gc-write-barrier": CategoryAdvice(
        "Write-barrier work",
        "While a cycle marks, every pointer that is stored is also queued for the collector.",
        "Store fewer pointers in hot loops, and make cycles shorter or rarer (see allocation).",
    ),
    "allocation": CategoryAdvice(
        "Allocation",
        "Memory is asked for on the path named here. The price is paid twice: now, and again by the collector.",
        "Find the allocating line with an allocs profile. Preallocate with a capacity, reuse buffers (sync.Pool for "
        "large ones), avoid conversions and boxing into interfaces, return values instead of pointers.",
    ),
    "string-bytes": CategoryAdvice(
        "String and byte conversion",
        "Copying between string and []byte, concatenating, comparing or searching.",
        "Keep one representation along the path. Use strings.Builder with Grow, append forms (strconv.AppendInt), and "
        "m[string(b)], which the compiler does without a copy. Compare lengths or integers first.",
    ),
    "memmove-memclr": CategoryAdvice(
        "Copying and clearing memory",
        "Large values are copied or fresh memory is zeroed: structs by value, growing slices, big buffers.",
        "Pass large structs by pointer, preallocate slices, reuse buffers instead of making new ones.",
    ),
    "map": CategoryAdvice(
        "Map access and hashing",
        "Lookups, inserts and growth of maps. The key decides most of it: strings are hashed and compared byte by "
        "byte, several times dearer than integers, and without AES instructions dearer still.",
        "Use integer or small fixed-size keys, look up once and keep the pointer, give make a size, and check that "
        "both sides ran on CPUs with AES.",
    ),
    "channel": CategoryAdvice(
        "Channel and select work",
        "Each send, receive or select takes a lock and may wake another goroutine. A channel operation per item costs "
        "a fixed price per item.",
        "Send whole batches rather than items, use fewer channels per select, or a mutex and a slice where no "
        "hand-over is needed.",
    ),
    "lock-runtime": CategoryAdvice(
        "Lock contention inside the runtime",
        "Spinning and futex calls on the runtime's own locks: of channels, timers, the scheduler or the heap.",
        "Look at what entered the runtime: the operation named here is contended. Do it less often, or split it up.",
    ),
    "lock-sync": CategoryAdvice(
        "Mutex contention (sync)",
        "Slow paths of sync.Mutex, RWMutex, WaitGroup and friends: goroutines meet at the same lock.",
        "Hold the lock for less, split it by key, or read from a copy. A mutex profile names the holder.",
    ),
    "lock": CategoryAdvice(
        "Lock contention",
        "Both user-level and runtime locks are contended: goroutines meet more often, or hold for longer.",
        "Look at the operations named here. Hold locks for less, split them by key, hand over in batches.",
    ),
    "scheduler": CategoryAdvice(
        "The scheduler",
        "Parking, waking and finding work. It grows with the number of hand-overs between goroutines, not with work "
        "done. CPU profiles cannot tell which caller parked.",
        "Make fewer, larger pieces of work; avoid ping-pong over channels; check for timers and tickers that wake "
        "idle goroutines. An execution trace shows who wakes whom.",
    ),
    "preemption": CategoryAdvice(
        "Preemption",
        "Long-running loops are interrupted so that others, or the collector, may run.",
        "It is a symptom of busy Ps: look for what keeps them busy, and at GOMAXPROCS against the CPU quota.",
    ),
    "netpoll": CategoryAdvice(
        "Network polling",
        "Asking the kernel which connections are ready. It grows with wake-ups, not with bytes.",
        "Write and read larger pieces (bufio), keep connections alive, avoid resetting deadlines on every operation.",
    ),
    "timers": CategoryAdvice(
        "Timer work",
        "Adding, moving and firing timers.",
        "Reuse one timer per connection or worker; avoid time.After in loops and a context.WithTimeout per item.",
    ),
    "interface": CategoryAdvice(
        "Interface and type-assertion work",
        "Dynamic type checks and comparisons of interface values.",
        "Assert once outside the loop, use concrete types or generics on the hot path.",
    ),
    "defer-panic": CategoryAdvice(
        "Defer and panic handling",
        "Defers in loops or in large functions are recorded on the heap; panics unwind frame by frame.",
        "Take the deferred part out of the loop, and do not use panics for control flow.",
    ),
    "cgo": CategoryAdvice(
        "cgo",
        "Each crossing between Go and C switches stacks and tells the scheduler.",
        "Cross once per batch instead of once per item. On large payloads the crossing hardly counts: measure first.",
    ),
    "syscall": CategoryAdvice(
        "System call time",
        "Time in the kernel on behalf of the process: reads, writes, futexes, clocks.",
        "Buffer small reads and writes, batch, and look at strace -c for which call it is.",
    ),
    "reflection": CategoryAdvice(
        "Reflection",
        "Types are inspected at run time: encoding, printing, validation.",
        "Cache what depends on the type only, or generate the code for the hot types.",
    ),
    "finalizer-special": CategoryAdvice(
        "Finalizer and cleanup work",
        "Objects with finalizers live one cycle longer, and each one is recorded and run.",
        "Close explicitly and drop the finalizer from objects made per request.",
    ),
    "sync-pool-map-atomic": CategoryAdvice(
        "Work in sync.Pool, sync.Map and atomics",
        "Shared structures without a lock: cheap alone, dear when many CPUs write to the same cache line.",
        "Keep per-worker state and merge it rarely; check that pooled objects are worth pooling.",
    ),
    "profiler-overhead": CategoryAdvice(
        "The profiler itself",
        "Sampling allocations, contention or stacks for profiles and traces. It grows with what is sampled, so it "
        "often follows another change.",
        "No cause by itself: look at the other findings, and at MemProfileRate and the mutex and block rates.",
    ),
    "unwind": CategoryAdvice(
        "Stack unwinding",
        "Walking stacks for logs, errors with stack traces, or runtime.Callers.",
        "Record stacks only where they are read; log the caller without a full trace.",
    ),
    "time-read": CategoryAdvice(
        "Reading the clock",
        "Many calls of time.Now or runtime clocks; dear where the vDSO is not available.",
        "Read the clock once per request or batch, and check the clock source of the machine.",
    ),
    "runtime-other": CategoryAdvice(
        "Other runtime work",
        "Runtime code that no rule names.",
        "The path shows what it is.",
    ),
}

BY_ENTRY: dict[tuple[str, str], CategoryAdvice] = {
    ("lock-runtime", "channel"): CategoryAdvice(
        "Runtime lock contention entered by channel operations",
        "Every channel has a lock; sends, receives and selects on shared channels meet at it and spin.",
        "Send batches instead of items, give each producer a channel or a shard of its own, and put fewer cases into "
        "a select.",
    ),
    ("lock-runtime", "timers"): CategoryAdvice(
        "Runtime lock contention entered by timers",
        "Timers live in heaps with a lock; making, stopping and resetting them in a hot path meets at it.",
        "Reuse timers, and set one deadline per request instead of one per operation.",
    ),
    ("lock-runtime", "allocation"): CategoryAdvice(
        "Runtime lock contention entered by allocation",
        "Refilling from the central heap takes a lock; large or very frequent allocations meet there.",
        "Allocate less, and reuse large buffers.",
    ),
    ("allocation", "string-bytes"): CategoryAdvice(
        "Allocation by string and byte conversion",
        "Converting between string and []byte, or concatenating, allocates and copies each time; the collector pays "
        "again.",
        "Decode without copying where the buffer outlives the string, intern repeated strings, use m[string(b)] and "
        "strings.Builder with Grow.",
    ),
    ("allocation", "map"): CategoryAdvice(
        "Allocation by maps",
        "Maps grow by allocating new tables and moving every entry.",
        "Give make a size, reuse maps with clear, or use a slice with an index for dense keys.",
    ),
    ("allocation", "channel"): CategoryAdvice(
        "Allocation by channel operations",
        "Making a channel per item or waiting on one allocates.",
        "Reuse channels, or hand results over another way.",
    ),
    ("memmove-memclr", "channel"): CategoryAdvice(
        "Copying through channels",
        "Each value is copied into and out of the channel.",
        "Send pointers or batches of large values.",
    ),
}

FUNCTION = CategoryAdvice(
    "",
    "The function and what it calls take more time per unit of work: it is called more often, or each call does more.",
    "Compare the lines of the function on both sides, and its callers: did the number of calls change, or their cost?",
)
FUNCTION_LESS = CategoryAdvice("", "The function and what it calls take less time per unit of work.", "")


def text_for(category: str, entry_category: str | None = None) -> CategoryAdvice:
    """The text of a category, by its entry where that changes the story."""
    if entry_category is not None and (category, entry_category) in BY_ENTRY:
        return BY_ENTRY[category, entry_category]
    return TEXTS.get(category, TEXTS["runtime-other"])
