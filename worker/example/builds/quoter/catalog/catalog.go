// Package catalog knows what is sold.
package catalog

import (
	"fmt"

	"quoter/money"
)

// Article is one thing that is sold.
type Article struct {
	Price  money.Amount
	Weight uint64
	Group  string
}

// Catalog finds articles by name.
type Catalog struct {
	articles map[string]Article
}

var kinds = []string{"hammer", "saw", "plane", "chisel", "vice", "square", "drill", "file"}

// Load makes a catalog of 4,000 articles.
func Load() *Catalog {
	articles := make(map[string]Article)
	for n := range 4_000 {
		kind := kinds[n%len(kinds)]
		articles[fmt.Sprintf("%s-%d", kind, n/len(kinds))] = Article{
			Price:  money.Amount(1_000_000 + n*7_919),
			Weight: uint64(100 + n%1_900),
			Group:  fmt.Sprintf("%s/%02d", kind, n%23),
		}
	}
	return &Catalog{articles: articles}
}

// Find returns an article; an unknown one costs nothing.
func (c *Catalog) Find(name []byte) Article {
	return c.articles[string(name)]
}
