"""Texts on why goroutines wait for a processor and what usually helps, by the verdict on the waits."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SchedulerAdvice:
    """What happens, and what usually helps."""

    mechanism: str
    advice: str


DELAY: dict[str, SchedulerAdvice] = {
    "cpu-hog": SchedulerAdvice(
        "A woken goroutine is queued; Go's scheduler has no priorities. A goroutine that computes occupies its processor "
        "until it blocks or has run for about 10 ms, and then queues again. Behind one such goroutine per processor, every "
        "wake-up costs up to 10 ms; behind several of them a multiple.",
        "Move the long computation out of this process, or limit its concurrent goroutines to fewer than GOMAXPROCS. Split it "
        "into short jobs; calling runtime.Gosched in its loop helps a little. If the waiter serves many others, reduce its "
        "number of wake-ups.",
    ),
    "thundering-herd": SchedulerAdvice(
        "Many goroutines become runnable at the same moment, each for a short run, and the scheduler runs them one by one. "
        "Any goroutine woken among them waits for most of the herd. Causes are tickers started together, a broadcast, or a "
        "closed channel.",
        "Serve them all with one goroutine and one ticker, or spread their phases with a random initial delay. Wake one "
        "worker instead of all (Signal instead of Broadcast), and hand over work in batches.",
    ),
    "gc": SchedulerAdvice(
        "While a cycle marks, the collector takes a quarter of the processors plus idle ones, and makes allocating goroutines "
        "assist. Woken goroutines find fewer processors and longer queues.",
        "Allocate less on the hottest paths; an allocs profile names them. A larger GOGC, or a GOMEMLIMIT with "
        "headroom, makes cycles less frequent. Fewer pointers in the live heap make them shorter.",
    ),
    "syscall": SchedulerAdvice(
        "A goroutine in a system call occupies its processor until the monitor retakes it, which it checks every "
        "20 µs to 10 ms. Many short blocking calls occupy processors that others wait for.",
        "Find these calls (the trace has their stacks): files on slow disks, DNS through cgo, locks in "
        "the kernel. Make fewer and larger calls, or limit their concurrency.",
    ),
    "wake-up": SchedulerAdvice(
        "Processors were idle or looking for work while the goroutine was runnable. The time went into waking a thread: the "
        "kernel scheduled it late, or the machine's CPUs were busy with other processes.",
        "Check the machine before the program: CPU quota (throttling), neighbors, power saving, GOMAXPROCS above "
        "the number of CPUs. In the program, fewer hand-overs between goroutines mean fewer wake-ups.",
    ),
    "netpoll": SchedulerAdvice(
        "Go polls the kernel for readable connections only when a processor runs out of work, else every 10 ms. While "
        "all processors are busy, a message is unread before its goroutine even counts as runnable; the latency shown "
        "is only the second half of the wait.",
        "Leave some processor time idle: whatever keeps all processors busy is the cause; the findings on P occupancy "
        "name it. More replicas with less load each also help.",
    ),
    "mixed": SchedulerAdvice(
        "No single occupant dominates: several goroutine groups shared the processors while this one waited. The program has "
        "more to run than processors to run it on.",
        "Compare load and CPU use of the two sides first. If they are equal, check which groups run more than before.",
    ),
}
DELAY_LESS = SchedulerAdvice("Goroutines of this group get a processor sooner after they are woken.", "")

WAITING = SchedulerAdvice(
    "Goroutines are runnable for longer in each second: more of them compete for the processors, each is woken more "
    "often, or running goroutines occupy the processors for longer.",
    "Compare load and CPU use of the two sides first. Then check the groups with most of the increase, and what "
    "occupied the processors while they waited.",
)
WAITING_LESS = SchedulerAdvice("Goroutines are runnable for less time in each second before they run.", "")

OCCUPANCY = SchedulerAdvice(
    "Others occupied the processors while this group was runnable. The shares are exact: all processor time "
    "during its waits, divided by occupant.",
    "Check what the named group does, and whether it should run at that time: its CPU samples and its waits are "
    "on this page.",
)
OCCUPANCY_LESS = SchedulerAdvice("This occupies the processors less while the group waits.", "")

GC: dict[str, SchedulerAdvice] = {
    "cpu": SchedulerAdvice(
        "The collector uses more of the processors: more cycles (a higher allocation rate or a smaller goal), or "
        "longer ones (a larger live heap with more pointers).",
        "Compare allocations first: an allocs profile names the paths. Then GOGC and GOMEMLIMIT, which trade memory "
        "for fewer cycles.",
    ),
    "assist": SchedulerAdvice(
        "When allocation outruns the background workers, the allocating goroutine must mark before it continues. This "
        "adds latency to the request itself.",
        "Allocate less in the groups named here. If bursts are the cause, a larger GOGC or a GOMEMLIMIT with headroom "
        "starts cycles with more slack.",
    ),
    "stw": SchedulerAdvice(
        "No goroutine runs in these pauses. Some belong to each GC cycle; others are requested by the "
        "program (reading memory statistics, goroutine profiles, changing GOMAXPROCS).",
        "Check the reasons: make pauses that the program requests less frequent. In long pauses, stopping took "
        "long: a processor was late, often because the kernel had not scheduled its thread.",
    ),
    "mmu": SchedulerAdvice(
        "In the worst windows less of the processors is left for the program: GC work comes in denser bursts.",
        "The cause is cycles closer together, or more assists; see the GC finding and the allocation rate.",
    ),
}
GC_LESS = SchedulerAdvice("The collector uses less of the processors.", "")


BLOCKED: dict[str, SchedulerAdvice] = {
    "sync": SchedulerAdvice(
        "A goroutine that requests a lock which another one has is blocked until that one releases it. If a lock is held for "
        "longer, or requested more often, the queue behind it grows faster than the time for which it is held.",
        "Check what the named function does between Lock and Unlock: move input, output and long computations out, or divide "
        "the data among several locks. A mutex profile has the same from the side of the holder.",
    ),
    "chan send": SchedulerAdvice(
        "A sender is blocked until a receiver takes the value, or until a buffered channel has room. Receivers are too few, "
        "too slow, or the buffer is too small for bursts.",
        "Check the receiver first: its CPU time, and what it waits for itself. More receivers help if they do not wait for "
        "one another; a larger buffer helps with bursts only.",
    ),
    "syscall exit": SchedulerAdvice(
        "The goroutine waits inside the kernel. After 20 µs to 10 ms its processor runs others, so the process has CPU time "
        "to spare although requests wait.",
        "Check files, pipes, locks of files and sleeps in the named function, and the device or process behind them.",
    ),
}
BLOCKED_LESS = SchedulerAdvice("Goroutines of this group are blocked for less time here.", "")


def delay_text(verdict: str) -> SchedulerAdvice:
    """Return the text for a verdict on a waiter's waits."""
    return DELAY.get(verdict, DELAY["mixed"])
