// Package growlist holds growing lists that never copy what they already hold.
//
// An appended slice of some hundred megabytes exists twice while it grows; a
// paged list wastes at most one page.
package growlist

import "iter"

const (
	pageBits = 14
	pageLen  = 1 << pageBits
	pageMask = pageLen - 1
)

// GrowList is a growing list of T. The zero List is empty and ready.
type GrowList[T any] struct {
	full [][]T
	tail []T
}

// Append adds one element.
func (l *GrowList[T]) Append(v T) {
	if len(l.tail) == pageLen {
		l.full = append(l.full, l.tail)
		l.tail = make([]T, 0, pageLen)
	}
	l.tail = append(l.tail, v)
}

// Len returns the number of elements.
func (l *GrowList[T]) Len() int { return len(l.full)<<pageBits + len(l.tail) }

// At returns element i.
func (l *GrowList[T]) At(i int) T {
	if page := i >> pageBits; page < len(l.full) {
		return l.full[page][i&pageMask]
	}
	return l.tail[i&pageMask]
}

// Release forgets everything, so that the memory can be used again.
func (l *GrowList[T]) Release() { l.full, l.tail = nil, nil }

// All walks over the elements in order.
func (l *GrowList[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, page := range l.full {
			for _, v := range page {
				if !yield(v) {
					return
				}
			}
		}
		for _, v := range l.tail {
			if !yield(v) {
				return
			}
		}
	}
}
