package quote

import (
	"testing"

	"quoter/cart"
	"quoter/catalog"
	"quoter/discount"
	"quoter/rates"
	"quoter/seal"
)

func basket(b testing.TB, n int) []cart.Line {
	text := []byte{}
	for range n {
		text = append(text, "hammer-17 30 SEK\n"...)
	}
	lines, err := cart.Parse(nil, text)
	if err != nil {
		b.Fatal(err)
	}
	return lines
}

func quoter() *Quoter {
	return New(catalog.Load(), rates.Load(), discount.Load(), seal.New([]byte("key")))
}

func TestQuoteEndsWithTheSeal(t *testing.T) {
	text := string(quoter().Quote(nil, basket(t, 2)))
	if want := "hammer-17 "; text[:len(want)] != want {
		t.Errorf("begins with %q", text[:len(want)])
	}
}

func BenchmarkQuote(b *testing.B) {
	q, lines := quoter(), basket(b, 200)
	for b.Loop() {
		q.Quote(nil, lines)
	}
}
