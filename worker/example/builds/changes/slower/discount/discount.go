// Package discount finds the rule that takes most off a line.
package discount

import (
	"fmt"

	"quoter/money"
)

// Rule takes some percent off articles of a group from a quantity on.
type Rule struct {
	Group   string
	Least   uint64
	Percent uint64
}

// Rules are all that is in force, in the order in which they were written: a later one of the same group is added to the earlier one.
type Rules struct {
	all []Rule
}

var kinds = []string{"hammer", "saw", "plane", "chisel", "vice", "square", "drill", "file"}

// Load makes one rule for each group of articles and three quantities.
func Load() *Rules {
	rules := &Rules{}
	for n := range 32 {
		group := fmt.Sprintf("%s/%02d", kinds[n%len(kinds)], n%23)
		for step, least := range []uint64{2, 10, 50} {
			rules.all = append(rules.all, Rule{Group: group, Least: least, Percent: uint64(3 + 4*step)})
		}
	}
	return rules
}

// Best returns how many percent come off so many articles of a group.
func (r *Rules) Best(group string, quantity uint64) uint64 {
	best := uint64(0)
	for _, rule := range r.all {
		if rule.Group == group && quantity >= rule.Least && rule.Percent > best {
			best = rule.Percent
		}
	}
	return best
}

// Off takes the best discount off an amount.
func (r *Rules) Off(amount money.Amount, group string, quantity uint64) money.Amount {
	return amount - amount.Percent(r.Best(group, quantity))
}
