// Package seal signs quotes, so that a shop can show later that it was given one.
package seal

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// Seal signs with one key.
type Seal struct {
	key []byte
}

// New keeps a key.
func New(key []byte) *Seal {
	return &Seal{key: key}
}

// Append appends the signature of a text to it, as a last line.
func (s *Seal) Append(text []byte) []byte {
	signer := hmac.New(sha256.New, s.key)
	signer.Write(text)
	text = append(text, "seal "...)
	return append(hex.AppendEncode(text, signer.Sum(nil)), '\n')
}
