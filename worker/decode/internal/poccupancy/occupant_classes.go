// Package poccupancy accounts who occupied the processors (Ps) while
// goroutines waited for one.
//
// OccupancyTotals adds up aggregate occupancy without touching every wait. For a waiter
// v let N_v(t) be its waiting goroutines and W_v(t) the integral of N_v. When a
// P was occupied by class c during [s,e), then
//
//	B[v][c] += W_v(e) - W_v(s)   for all v
//
// so that the sum over c of B[v][c] is P-time during the waits of v: the
// identity that tests check. The ring keeps the occupations themselves for a
// while, for exact occupancy of single waits and for pictures.
package poccupancy

// Kind is what occupies a P.
type Kind uint8

// The kinds, in the order of the file format.
const (
	Stw Kind = iota
	GCDedicated
	GCFractional
	GCIdle
	User
	UserAssist
	UserSweep
	Runtime
	Syscall
	Scheduler
	Idle
	Unknown
)

// KindNames returns the kinds' names in the file format.
var KindNames = []string{
	"stw", "gc-dedicated", "gc-fractional", "gc-idle", "user", "user-assist", "user-sweep",
	"runtime", "syscall", "scheduler", "idle", "unknown",
}

// IsUser reports whether a kind is distinguished by group.
func (k Kind) IsUser() bool { return k == User || k == UserAssist || k == UserSweep }

// MaxClasses bounds the classes; users beyond it are one, that of the group Other.
const MaxClasses = 1024

// OccupantClass is a kind, and for users a group.
type OccupantClass struct {
	Kind  Kind
	Group uint32
}

// NoGroup is the group of classes that are not users.
const NoGroup = ^uint32(0)

// OccupantClasses numbers classes: the kinds that need no group first, by their number.
type OccupantClasses struct {
	list  []OccupantClass
	users [3][]uint16 // by kind and group: number + 1
	other uint32
}

// NewClasses makes a table; other is the group of what does not fit.
func NewClasses(other uint32) *OccupantClasses {
	c := &OccupantClasses{other: other}
	for kind := range KindNames {
		c.list = append(c.list, OccupantClass{Kind(kind), NoGroup})
	}
	for kind := User; kind <= UserSweep; kind++ { // their groupless numbers represent the rest
		c.list[kind].Group = other
		c.set(kind, other, uint16(kind))
	}
	return c
}

func (c *OccupantClasses) set(kind Kind, group uint32, number uint16) {
	table := &c.users[kind-User]
	for int(group) >= len(*table) {
		*table = append(*table, 0)
	}
	(*table)[group] = number + 1
}

// Of returns the number of a user class.
func (c *OccupantClasses) Of(kind Kind, group uint32) uint16 {
	if table := c.users[kind-User]; int(group) < len(table) && table[group] != 0 {
		return table[group] - 1
	}
	if len(c.list) >= MaxClasses {
		return uint16(kind)
	}
	number := uint16(len(c.list))
	c.list = append(c.list, OccupantClass{kind, group})
	c.set(kind, group, number)
	return number
}

// Len returns the number of classes.
func (c *OccupantClasses) Len() int { return len(c.list) }

// At returns class i.
func (c *OccupantClasses) At(i uint16) OccupantClass { return c.list[i] }
