"""Texts on each runtime category: what it does when it takes more time, and what usually helps.

The key is the category and, where it changes the explanation, the category of the entry (the runtime function that user
code called): channel operations spend half of their time in runtime locks, and string conversions most of theirs in
allocation, so the category alone would name the wrong cause.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class CategoryAdvice:
    """Title, what happens, and what usually helps."""

    title: str
    mechanism: str
    advice: str


TEXTS: dict[str, CategoryAdvice] = {
    "total": CategoryAdvice("All CPU", "All samples of the process.", "Upload more profiles to localize it."),
    "app": CategoryAdvice(
        "The application's own code",
        "Samples that end in user or library code rather than in the runtime.",
        "The functions with the largest changes are listed separately.",
    ),
    "stack-growth": CategoryAdvice(
        "Stack growth (morestack)",
        "A goroutine starts on a small stack (2 KiB, or the adaptive average). When a call does not fit, the runtime "
        "allocates a stack twice as large and copies the old one, adjusting every pointer. A deeper call chain, a larger "
        "frame, or a helper that is no longer inlined can push each new goroutine over a size boundary, and each of them "
        "grows its stack.",
        "Use long-lived workers instead of a goroutine per job, so that the stack grows once. Look for a "
        "call that is no longer inlined (go build -gcflags=-m), for large arrays by value, and for recursion on the path.",
    ),
    "gc": CategoryAdvice(
        "Garbage collection",
        "Marking, assists and sweeping follow the allocation rate and the size of the live heap. More garbage means "
        "more cycles; more pointers mean longer ones.",
        "Reduce allocations on the paths named here. Reuse buffers, preallocate, keep pointer-free "
        "data in flat slices. After that, GOGC and GOMEMLIMIT trade memory for fewer cycles.",
    ),
    "gc-mark": CategoryAdvice(
        "Marking by the garbage collector",
        "Background workers trace all live pointers in each cycle. Cost per cycle follows the live heap and its "
        "pointers, cycles per second follow the allocation rate.",
        "Allocate less on the paths named here, or keep fewer pointers alive (flat slices, indices instead of "
        "pointers). A larger GOGC or a GOMEMLIMIT makes cycles less frequent.",
    ),
    "gc-assist": CategoryAdvice(
        "GC assist work",
        "When allocation outruns the background workers, the allocating goroutine must mark before it continues. This "
        "adds latency to the request itself.",
        "Allocate less on the path named here. If bursts are the cause, a larger GOGC or a GOMEMLIMIT with headroom starts "
        "cycles with more slack.",
    ),
    "gc-sweep": CategoryAdvice(
        "Sweeping by the garbage collector",
        "After each cycle every span is swept before it is used again, by a background goroutine or by the next "
        "allocation.",
        "The cost follows the number of cycles: allocate less on the paths named here, or make cycles less frequent.",
    ),
    "gc-scavenge": CategoryAdvice(
        "Returning memory to the system",
        "The scavenger returns free pages; pages that are needed again soon must be faulted in again.",
        "Look for a heap whose size oscillates: large buffers allocated and dropped. A GOMEMLIMIT close to the live heap "
        "also causes this.",
    ),
    "gc-write-barrier": CategoryAdvice(
        "Write-barrier work",
        "While a cycle marks, every pointer that is stored is also queued for the collector.",
        "Store fewer pointers in hot loops, and make cycles shorter or less frequent (see allocation).",
    ),
    "allocation": CategoryAdvice(
        "Allocation",
        "The path named here allocates memory. It costs time twice: at allocation, and in the collector.",
        "Find the allocating line with an allocs profile. Preallocate with a capacity, reuse buffers (sync.Pool for "
        "large ones), avoid conversions and boxing into interfaces, return values instead of pointers.",
    ),
    "string-bytes": CategoryAdvice(
        "String and byte conversion",
        "Copying between string and []byte, concatenating, comparing or searching.",
        "Keep one representation along the path. Use strings.Builder with Grow, append forms (strconv.AppendInt), and "
        "m[string(b)], which the compiler compiles without a copy. Compare lengths or integers first.",
    ),
    "memmove-memclr": CategoryAdvice(
        "Copying and clearing memory",
        "Large values are copied or fresh memory is zeroed: structs by value, growing slices, big buffers.",
        "Pass large structs by pointer, preallocate slices, reuse buffers instead of making new ones.",
    ),
    "map": CategoryAdvice(
        "Map access and hashing",
        "Lookups, inserts and growth of maps. The key type dominates the cost: strings are hashed and compared byte by "
        "byte, which costs several times as much as integers, and more without AES instructions.",
        "Use integer or small fixed-size keys, look up once and keep the pointer, give make a size, and check that "
        "both sides ran on CPUs with AES.",
    ),
    "channel": CategoryAdvice(
        "Channel and select work",
        "Each send, receive or select takes a lock and may wake another goroutine. A channel operation per item has "
        "a fixed cost per item.",
        "Send batches instead of items, use fewer channels per select, or a mutex and a slice if no "
        "hand-over is needed.",
    ),
    "lock-runtime": CategoryAdvice(
        "Lock contention inside the runtime",
        "Spinning and futex calls on the runtime's own locks: of channels, timers, the scheduler or the heap.",
        "Check what entered the runtime: the operation named here is contended. Do it less often, or split it.",
    ),
    "lock-sync": CategoryAdvice(
        "Mutex contention (sync)",
        "Slow paths of sync.Mutex, RWMutex, WaitGroup and others: goroutines contend for the same lock.",
        "Hold the lock for a shorter time, split it by key, or read from a copy. A mutex profile names the holder.",
    ),
    "lock": CategoryAdvice(
        "Lock contention",
        "Both user-level and runtime locks are contended: goroutines lock more often, or hold locks for longer.",
        "Check the operations named here. Hold locks for a shorter time, split them by key, hand over in batches.",
    ),
    "scheduler": CategoryAdvice(
        "The scheduler",
        "Parking, waking and finding work. It grows with the number of hand-overs between goroutines, not with the work "
        "done. CPU profiles do not show which caller parked.",
        "Make fewer, larger work items; avoid alternating channel operations; check for timers and tickers that wake "
        "idle goroutines. An execution trace shows who wakes whom.",
    ),
    "preemption": CategoryAdvice(
        "Preemption",
        "Long-running loops are interrupted so that other goroutines, or the collector, can run.",
        "It is a symptom of busy Ps: check what keeps them busy, and GOMAXPROCS against the CPU quota.",
    ),
    "netpoll": CategoryAdvice(
        "Network polling",
        "Polling the kernel for ready connections. It grows with wake-ups, not with bytes.",
        "Write and read larger pieces (bufio), reuse connections, avoid resetting deadlines on every operation.",
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
        "Each call between Go and C switches stacks and notifies the scheduler.",
        "Call once per batch instead of once per item. For large payloads the overhead is negligible: measure first.",
    ),
    "syscall": CategoryAdvice(
        "System call time",
        "Time in the kernel on behalf of the process: reads, writes, futexes, clocks.",
        "Buffer small reads and writes, batch, and use strace -c to find the call.",
    ),
    "reflection": CategoryAdvice(
        "Reflection",
        "Types are inspected at run time: encoding, printing, validation.",
        "Cache what depends on the type only, or generate the code for the hot types.",
    ),
    "finalizer-special": CategoryAdvice(
        "Finalizer and cleanup work",
        "Objects with finalizers live one cycle longer, and each finalizer is recorded and run.",
        "Close explicitly and remove the finalizer from per-request objects.",
    ),
    "sync-pool-map-atomic": CategoryAdvice(
        "Work in sync.Pool, sync.Map and atomics",
        "Shared structures without a lock: cheap alone, expensive when many CPUs write to the same cache line.",
        "Use per-worker state and merge it rarely; check that pooling the objects is worth it.",
    ),
    "profiler-overhead": CategoryAdvice(
        "The profiler itself",
        "Sampling allocations, contention or stacks for profiles and traces. It grows with what is sampled, so it "
        "often follows another change.",
        "Not a cause: check the other findings, MemProfileRate, and the mutex and block rates.",
    ),
    "unwind": CategoryAdvice(
        "Stack unwinding",
        "Walking stacks for logs, errors with stack traces, or runtime.Callers.",
        "Record stacks only where they are read; log the caller without a full trace.",
    ),
    "time-read": CategoryAdvice(
        "Reading the clock",
        "Many calls of time.Now or runtime clocks; expensive if the vDSO is not available.",
        "Read the clock once per request or batch, and check the clock source of the machine.",
    ),
    "runtime-other": CategoryAdvice(
        "Other runtime work",
        "Runtime code that no rule matches.",
        "See the path.",
    ),
}

BY_ENTRY: dict[tuple[str, str], CategoryAdvice] = {
    ("lock-runtime", "channel"): CategoryAdvice(
        "Runtime lock contention entered by channel operations",
        "Every channel has a lock; sends, receives and selects on shared channels contend for it and spin.",
        "Send batches instead of items, give each producer a separate channel or shard, and use fewer cases per "
        "select.",
    ),
    ("lock-runtime", "timers"): CategoryAdvice(
        "Runtime lock contention entered by timers",
        "Timers are in heaps with a lock; creating, stopping and resetting them on a hot path contends for it.",
        "Reuse timers, and set one deadline per request instead of one per operation.",
    ),
    ("lock-runtime", "allocation"): CategoryAdvice(
        "Runtime lock contention entered by allocation",
        "Refilling from the central heap takes a lock; large or very frequent allocations contend for it.",
        "Allocate less, and reuse large buffers.",
    ),
    ("allocation", "string-bytes"): CategoryAdvice(
        "Allocation by string and byte conversion",
        "Converting between string and []byte, or concatenating, allocates and copies each time, which also costs "
        "garbage collection.",
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
        "Reuse channels, or return results in another way.",
    ),
    ("memmove-memclr", "channel"): CategoryAdvice(
        "Copying through channels",
        "Each value is copied into and out of the channel.",
        "Send pointers or batches of large values.",
    ),
}

FUNCTION = CategoryAdvice(
    "",
    "The function and its callees take more time per unit of work: more calls, or more work per call.",
    "Compare the lines of the function on both sides, and its callers: did the number of calls change, or their cost?",
)
FUNCTION_LESS = CategoryAdvice("", "The function and its callees take less time per unit of work.", "")


def text_for(category: str, entry_category: str | None = None) -> CategoryAdvice:
    """Return the text of a category, or of its entry where that changes the explanation."""
    if entry_category is not None and (category, entry_category) in BY_ENTRY:
        return BY_ENTRY[category, entry_category]
    return TEXTS.get(category, TEXTS["runtime-other"])
