package tracedecode

import (
	"slowpath.dev/decode/internal/poccupancy"
	"slowpath.dev/decode/internal/schedlatency"
)

// The shares of occupancy from which a verdict follows.
const (
	cpuHogShare           = 0.5
	gcShare               = 0.3
	syscallShare          = 0.3
	wakeUpShare           = 0.6
	thunderingHerdMembers = 20
	thunderingHerdRunNs   = 50_000
)

// verdict names what made a waiter wait: one group that occupied the Ps ("cpu-hog"), or
// many short runs of one ("thundering-herd"), the garbage collector, system calls, a late
// wake-up ("wake-up"), or the network poller, when the delay that a trace does not
// show may exceed the one that it shows.
func (p *pass) verdict(v *schedlatency.Waiter, byClass []int64) string {
	if v.Hidden != nil && hasHiddenNetpollDelay(v) {
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
	return p.classifyShares(shares)
}

// classifyShares returns the verdict on shares of occupancy by class.
func (p *pass) classifyShares(shares []float64) string {
	classes := p.machine.Occupancy.Classes
	byGroup := map[uint32]float64{}
	gc, syscall, wakeUp := 0.0, 0.0, 0.0
	for i, share := range shares {
		class := classes.At(uint16(i))
		switch class.Kind {
		case poccupancy.User:
			byGroup[class.Group] += share
		case poccupancy.Stw, poccupancy.GCDedicated, poccupancy.GCFractional, poccupancy.UserAssist, poccupancy.UserSweep:
			gc += share
		case poccupancy.Syscall:
			syscall += share
		case poccupancy.Idle, poccupancy.Scheduler:
			wakeUp += share
		}
	}
	for group, share := range byGroup {
		if share >= cpuHogShare {
			return p.cpuHogOrThunderingHerd(group)
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

func (p *pass) cpuHogOrThunderingHerd(group uint32) string {
	sums := p.machine.GroupSums()[group]
	if sums.Goroutines > thunderingHerdMembers && schedlatency.Quantile(sums.Runs, 0.5) < thunderingHerdRunNs {
		return "thundering-herd"
	}
	return "cpu-hog"
}

// hasHiddenNetpollDelay compares medians: what the poller may hide, and what is seen.
func hasHiddenNetpollDelay(v *schedlatency.Waiter) bool {
	hiddenNs := make([]uint32, schedlatency.Buckets)
	for bucket, n := range v.Hidden {
		hiddenNs[bucket] = n
	}
	return v.Waits > 0 && schedlatency.Quantile(hiddenNs, 0.5) > v.TotalNs/v.Waits
}
