// Package quote puts a price on a basket.
package quote

import (
	"strconv"

	"quoter/cart"
	"quoter/catalog"
	"quoter/discount"
	"quoter/money"
	"quoter/rates"
	"quoter/seal"
)

// Quoter has all that a price depends on.
type Quoter struct {
	catalog *catalog.Catalog
	rates   *rates.Table
	rules   *discount.Rules
	seal    *seal.Seal
}

// New plugs the parts together.
func New(catalog *catalog.Catalog, rates *rates.Table, rules *discount.Rules, seal *seal.Seal) *Quoter {
	return &Quoter{catalog: catalog, rates: rates, rules: rules, seal: seal}
}

// Quote appends the answer to a basket: a line each with its price, the sum, the postage, the seal.
func (q *Quoter) Quote(out []byte, lines []cart.Line) []byte {
	sum, weight := money.Amount(0), uint64(0)
	for _, line := range lines {
		article := q.catalog.Find(line.Article)
		price := q.price(article, line)
		sum += price
		weight += article.Weight * line.Quantity
		out = append(append(out, line.Article...), ' ')
		out = append(strconv.AppendUint(out, uint64(price), 10), '\n')
	}
	out = append(strconv.AppendUint(append(out, "sum "...), uint64(sum), 10), '\n')
	out = append(strconv.AppendUint(append(out, "postage "...), uint64(postage(weight)), 10), '\n')
	return q.seal.Append(out)
}

// price is what one line costs: converted, discounted, with tax.
func (q *Quoter) price(article catalog.Article, line cart.Line) money.Amount {
	amount := q.rates.Convert(article.Price*money.Amount(line.Quantity), line.Currency)
	amount = q.rules.Off(amount, article.Group, line.Quantity)
	return amount + amount.Percent(25)
}

// postage rises by a step each two kilograms.
func postage(grams uint64) money.Amount {
	return money.Amount(4_900_000 + grams/2_000*1_500_000)
}
