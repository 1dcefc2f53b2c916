// Package cart reads baskets: one line each of an article, a quantity and a currency, as in "hammer-17 3 SEK".
package cart

import (
	"bytes"
	"errors"
)

// Line is so many of an article.
type Line struct {
	Article  []byte
	Currency []byte
	Quantity uint64
}

// ErrLine says that a line has not three words, or no number in the middle.
var ErrLine = errors.New("a line is an article, a quantity and a currency")

// Parse appends the lines of a basket. They point into the text.
func Parse(lines []Line, text []byte) ([]Line, error) {
	for len(text) > 0 {
		var row []byte
		row, text, _ = bytes.Cut(text, []byte{'\n'})
		article, rest, ok := bytes.Cut(row, []byte{' '})
		number, currency, found := bytes.Cut(rest, []byte{' '})
		if !ok || !found || len(number) == 0 || len(number) > 6 {
			return nil, ErrLine
		}
		quantity := uint64(0)
		for _, digit := range number {
			if digit < '0' || digit > '9' {
				return nil, ErrLine
			}
			quantity = quantity*10 + uint64(digit-'0')
		}
		lines = append(lines, Line{Article: article, Currency: currency, Quantity: quantity})
	}
	return lines, nil
}
