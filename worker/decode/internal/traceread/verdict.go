package traceread

import (
	"slowpath.dev/decode/internal/traceblame"
	"slowpath.dev/decode/internal/tracewaits"
)

// The shares of blame from which a verdict follows.
const (
	hogShare     = 0.5
	gcShare      = 0.3
	syscallShare = 0.3
	wakeUpShare  = 0.6
	herdMembers  = 20
	herdRunNs    = 50_000
)

// verdict says in one word what made a victim wait: one group that held the
// processors ("hog"), or many short runs of one ("herd"), the collector,
// system calls, nobody ("wake-up"), or the network poller, when the delay that
// a trace does not show may exceed the one that it shows.
func (p *pass) verdict(v *tracewaits.Victim, byClass []int64) string {
	if v.Hidden != nil && netpollHides(v) {
		return "netpoll"
	}
	shares := make([]float64, len(byClass))
	total := int64(0)
	for _, ns := range byClass {
		total += ns
	}
	for i, ns := range byClass {
		shares[i] = float64(ns) / float64(max(1, total))
	}
	return p.judge(shares)
}

// judge gives the verdict on shares of blame by class.
func (p *pass) judge(shares []float64) string {
	classes := p.machine.Ledger.Classes
	byGroup := map[uint32]float64{}
	gc, syscall, wakeUp := 0.0, 0.0, 0.0
	for i, share := range shares {
		class := classes.At(uint16(i))
		switch class.Kind {
		case traceblame.User:
			byGroup[class.Group] += share
		case traceblame.Stw, traceblame.GCDedicated, traceblame.GCFractional, traceblame.UserAssist, traceblame.UserSweep:
			gc += share
		case traceblame.Syscall:
			syscall += share
		case traceblame.Idle, traceblame.Scheduler:
			wakeUp += share
		}
	}
	for group, share := range byGroup {
		if share >= hogShare {
			return p.hogOrHerd(group)
		}
	}
	switch {
	case gc >= gcShare:
		return "gc"
	case syscall >= syscallShare:
		return "syscall"
	case wakeUp >= wakeUpShare:
		return "wake-up"
	}
	return "mixed"
}

func (p *pass) hogOrHerd(group uint32) string {
	sums := p.machine.GroupSums()[group]
	if sums.Goroutines > herdMembers && tracewaits.Quantile(sums.Runs, 0.5) < herdRunNs {
		return "herd"
	}
	return "hog"
}

// netpollHides compares medians: what the poller may hide, and what is seen.
func netpollHides(v *tracewaits.Victim) bool {
	hidden := make([]uint32, tracewaits.Buckets)
	for bucket, n := range v.Hidden {
		hidden[bucket] = n
	}
	return v.Waits > 0 && tracewaits.Quantile(hidden, 0.5) > v.TotalNs/v.Waits
}
