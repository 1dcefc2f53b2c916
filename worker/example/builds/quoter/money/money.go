// Package money has amounts in millionths of a unit of a currency.
package money

import "math/bits"

// Amount is so many millionths.
type Amount uint64

// One is one unit.
const One Amount = 1_000_000

// Times multiplies two fixed-point numbers and rounds half up.
func (a Amount) Times(b Amount) Amount {
	high, low := bits.Mul64(uint64(a), uint64(b))
	low, carry := bits.Add64(low, uint64(One)/2, 0)
	quotient, _ := bits.Div64((high+carry)%uint64(One), low, uint64(One))
	return Amount(quotient)
}

// Percent is so many hundredths of an amount.
func (a Amount) Percent(n uint64) Amount {
	return Amount(uint64(a) * n / 100)
}
