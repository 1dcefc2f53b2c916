"""One page of texts: why goroutines wait for a processor, and what usually helps.

Written by hand, to be read and corrected as prose by people who know Go. Keyed by the verdict on the victim's waits.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class SchedulerAdvice:
    """What happens, and what usually helps."""

    mechanism: str
    advice: str


DELAY: dict[str, SchedulerAdvice] = {
    "cpu-hog": SchedulerAdvice(
        "A woken goroutine goes to the back of a queue; Go's scheduler knows no priorities. A goroutine that computes "
        "keeps its processor until it blocks or has run for about 10 ms, and then queues again. Behind one such "
        "goroutine per processor, every wake-up costs up to 10 ms, behind several of them a multiple.",
        "Take the long computation off this process, or limit how many of its goroutines run at once to fewer than "
        "GOMAXPROCS. Cut it into pieces that end by themselves; calling runtime.Gosched in its loop helps a little. "
        "Where the victim serves many others, make it need fewer wake-ups.",
    ),
    "thundering-herd": SchedulerAdvice(
        "Many goroutines become runnable at the same moment, each for a short run, and the scheduler lets them pass "
        "one by one. Who is woken among them waits for most of the herd. Tickers started together, a broadcast, or a "
        "closed channel do this.",
        "Let one goroutine with one ticker serve them all, or spread their phases with a random first delay. Wake one "
        "worker instead of all (Signal instead of Broadcast), and hand work over in batches.",
    ),
    "gc": SchedulerAdvice(
        "While a cycle marks, the collector takes a quarter of the processors for itself, idle ones besides, and makes "
        "allocating goroutines help. Woken goroutines find fewer processors, and longer queues.",
        "Allocate less on the busiest paths; an allocs profile names them. A larger GOGC, or a GOMEMLIMIT with "
        "headroom, makes cycles rarer. Fewer pointers in the live heap make them shorter.",
    ),
    "syscall": SchedulerAdvice(
        "A goroutine in a system call keeps its processor until the monitor takes it away, which is looked at every "
        "20 µs to 10 ms. Many short blocking calls hold processors that others wait for.",
        "Look at which calls these are (the trace names their stacks): files on slow disks, DNS through cgo, locks in "
        "the kernel. Fewer and larger calls help, or a limit on how many run at once.",
    ),
    "wake-up": SchedulerAdvice(
        "Processors were idle or looking for work while the goroutine stood ready: nobody computed in its place. The "
        "time went into waking a thread: the kernel scheduled it late, or the machine's CPUs were busy with others.",
        "Look at the machine before the program: CPU quota (throttling), neighbours, power saving, GOMAXPROCS above "
        "the CPUs that there are. In the program, fewer hand-overs between goroutines mean fewer wake-ups.",
    ),
    "netpoll": SchedulerAdvice(
        "Go asks the kernel for readable connections only when a processor runs out of work, else every 10 ms. While "
        "all processors are busy, a message lies unread before its goroutine is even called runnable; the delay shown "
        "is only the second half of the wait.",
        "Leave some processor time idle: what keeps all processors busy is the cause, and the findings on who held "
        "them name it. More replicas with less load each also help.",
    ),
    "mixed": SchedulerAdvice(
        "Nobody stands out: several groups of goroutines shared the processors while this one waited. The program has "
        "more to run than processors to run it on.",
        "Compare load and CPU use of the two sides first. If they are equal, look at which groups run more than they "
        "did before.",
    ),
}
DELAY_LESS = SchedulerAdvice("Goroutines of this group get a processor sooner after they are woken.", "")

WAITING = SchedulerAdvice(
    "Goroutines stand ready to run for longer in each second: more of them compete for the processors, each is woken more "
    "often, or what runs keeps the processors for longer.",
    "Compare load and CPU use of the two sides first. Then look at the groups that make most of the increase, and at what "
    "held the processors while they waited.",
)
WAITING_LESS = SchedulerAdvice("Goroutines stand ready to run for less time in each second.", "")

BLAME = SchedulerAdvice(
    "The processors were held by others while this group stood ready to run. The shares are exact: all processor time "
    "that passed during its waits, divided by who had it.",
    "Look at what the named group does, and whether it is meant to run then: its CPU samples and its own waits are "
    "on this page.",
)
BLAME_LESS = SchedulerAdvice("What held the processors while this group waited, does so less.", "")

GC: dict[str, SchedulerAdvice] = {
    "cpu": SchedulerAdvice(
        "The collector uses more of the processors: more cycles (a higher allocation rate or a smaller goal), or "
        "longer ones (a larger live heap with more pointers).",
        "Compare allocations first: an allocs profile names the paths. Then GOGC and GOMEMLIMIT, which trade memory "
        "for fewer cycles.",
    ),
    "assist": SchedulerAdvice(
        "When allocation outruns the background workers, the allocating goroutine must mark before it may go on. This "
        "is latency on the request itself.",
        "Allocate less in the groups named here. If bursts cause it, a larger GOGC or a GOMEMLIMIT with headroom "
        "starts cycles with more slack.",
    ),
    "stw": SchedulerAdvice(
        "All goroutines stand still in these pauses. Some belong to each GC cycle; others are asked for by the "
        "program (reading memory statistics, goroutine profiles, changing GOMAXPROCS).",
        "Look at the reasons: pauses that the program asks for can be made rarer. Long ones mean that stopping took "
        "long: a processor was late, often because the kernel had not scheduled its thread.",
    ),
    "mmu": SchedulerAdvice(
        "In the worst moments, less of the processors is left for the program: GC work comes in denser bursts.",
        "Cycles closer together or more assists; see the GC finding and the allocation rate.",
    ),
}
GC_LESS = SchedulerAdvice("The collector takes less.", "")


def delay_text(verdict: str) -> SchedulerAdvice:
    """The text for a verdict on a victim's waits."""
    return DELAY.get(verdict, DELAY["mixed"])
