// Package traceblame accounts who occupied the processors (Ps) while
// goroutines waited for one.
//
// The ledger charges aggregate blame without touching every wait. For a victim
// v let N_v(t) be its waiting goroutines and W_v(t) the integral of N_v. When a
// P was occupied by class c during [s,e), then
//
//	B[v][c] += W_v(e) - W_v(s)   for all v
//
// so that the sum over c of B[v][c] is P-time during the waits of v: the
// identity that tests check. The ring keeps the occupations themselves for a
// while, for exact blame of single waits and for pictures.
package traceblame

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

// KindNames gives the kinds' names in the file format.
var KindNames = []string{
	"stw", "gc-dedicated", "gc-fractional", "gc-idle", "user", "user-assist", "user-sweep",
	"runtime", "syscall", "scheduler", "idle", "unknown",
}

// IsUser tells whether a kind is told apart by group.
func (k Kind) IsUser() bool { return k == User || k == UserAssist || k == UserSweep }

// MaxClasses bounds the classes; users beyond it are one, that of the group Other.
const MaxClasses = 1024

// Class is a kind, and for users a group.
type Class struct {
	Kind  Kind
	Group uint32
}

// NoGroup is the group of classes that are not users.
const NoGroup = ^uint32(0)

// Classes numbers classes: the kinds that need no group first, by their number.
type Classes struct {
	list  []Class
	users [3][]uint16 // by kind and group: number + 1
	other uint32
}

// NewClasses makes a table; other is the group of what does not fit.
func NewClasses(other uint32) *Classes {
	c := &Classes{other: other}
	for kind := range KindNames {
		c.list = append(c.list, Class{Kind(kind), NoGroup})
	}
	for kind := User; kind <= UserSweep; kind++ { // their groupless numbers stand for the rest
		c.list[kind].Group = other
		c.set(kind, other, uint16(kind))
	}
	return c
}

func (c *Classes) set(kind Kind, group uint32, number uint16) {
	table := &c.users[kind-User]
	for int(group) >= len(*table) {
		*table = append(*table, 0)
	}
	(*table)[group] = number + 1
}

// Of gives the number of a user class.
func (c *Classes) Of(kind Kind, group uint32) uint16 {
	if table := c.users[kind-User]; int(group) < len(table) && table[group] != 0 {
		return table[group] - 1
	}
	if len(c.list) >= MaxClasses {
		return uint16(kind)
	}
	number := uint16(len(c.list))
	c.list = append(c.list, Class{kind, group})
	c.set(kind, group, number)
	return number
}

// Len gives the number of classes.
func (c *Classes) Len() int { return len(c.list) }

// At gives class i.
func (c *Classes) At(i uint16) Class { return c.list[i] }
