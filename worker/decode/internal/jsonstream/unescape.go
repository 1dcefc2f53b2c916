package jsonstream

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"slowpath.dev/decode/internal/inputerror"
)

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape writes a string's text over itself: it never grows. Lone surrogates
// become U+FFFD.
func (r *Reader) unescape(text []byte) ([]byte, error) {
	out := text[:0]
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 {
			return append(out, text...), nil
		}
		out = append(out, text[:i]...)
		text = text[i+1:]
		if len(text) == 0 {
			return nil, r.badEscape()
		}
		if text[0] != 'u' {
			if escapes[text[0]] == 0 {
				return nil, r.badEscape()
			}
			out, text = append(out, escapes[text[0]]), text[1:]
			continue
		}
		c, ok := hex4(text[1:])
		if !ok {
			return nil, r.badEscape()
		}
		text = text[5:]
		if utf16.IsSurrogate(c) {
			low := rune(0)
			if len(text) >= 6 && text[0] == '\\' && text[1] == 'u' {
				low, _ = hex4(text[2:])
			}
			if c = utf16.DecodeRune(c, low); c != utf8.RuneError {
				text = text[6:]
			}
		}
		out = utf8.AppendRune(out, c)
	}
}

func hex4(text []byte) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[:4]), 16, 16)
	return rune(n), err == nil
}

func (r *Reader) badEscape() error {
	return inputerror.New("malformed-json", "A text before byte %d has a backslash with something after it that JSON does not know.", r.Offset()).AtOffset(r.Offset())
}
