package cel

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parseLiteral returns the value of a token; a sign belongs to a number, so that the smallest one can be written.
func parseLiteral(t token, sign string) (any, error) {
	switch t.kind {
	case integer:
		return parseInteger(sign + t.content)
	case unsigned:
		digits := t.content[:len(t.content)-1]
		if hex, ok := strings.CutPrefix(digits, "0x"); ok {
			return strconv.ParseUint(hex, 16, 64)
		}
		return strconv.ParseUint(digits, 10, 64)
	case floating:
		return strconv.ParseFloat(sign+t.content, 64)
	case text:
		return unquote(t.content, false)
	default:
		value, err := unquote(t.content[1:], true)
		return []byte(value), err
	}
}

func parseInteger(s string) (int64, error) {
	if sign, hex, ok := strings.Cut(s, "0x"); ok {
		return strconv.ParseInt(sign+hex, 16, 64)
	}
	return strconv.ParseInt(s, 10, 64)
}

func unquote(s string, isBytes bool) (string, error) {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
	raw := s[0] == 'r' || s[0] == 'R'
	if raw {
		s = s[1:]
	}
	quotes := 1
	if len(s) >= 6 && (strings.HasPrefix(s, `"""`) || strings.HasPrefix(s, `'''`)) {
		quotes = 3
	}
	s = s[quotes : len(s)-quotes]
	if raw {
		return s, nil
	}
	var unescaped strings.Builder
	for s != "" {
		plain, escaped, found := strings.Cut(s, `\`)
		unescaped.WriteString(plain)
		if !found {
			break
		}
		value, length, err := unescape(escaped, isBytes)
		if err != nil {
			return "", err
		}
		unescaped.WriteString(value)
		s = escaped[length:]
	}
	return unescaped.String(), nil
}

// unescape returns what follows a backslash, and the length of that.
func unescape(s string, isBytes bool) (value string, length int, err error) {
	err = errors.New("syntax error: invalid escape sequence")
	if s == "" {
		return "", 0, err
	}
	if i := strings.IndexByte("abfnrtv\\'\"`?", s[0]); i >= 0 {
		return "\a\b\f\n\r\t\v\\'\"`?"[i : i+1], 1, nil
	}
	start, length, base := 1, 0, 16
	switch s[0] {
	case 'x', 'X':
		length = 3
	case 'u':
		length = 5
	case 'U':
		length = 9
	case '0', '1', '2', '3':
		start, length, base = 0, 3, 8
	}
	if length == 0 || len(s) < length || isBytes && length > 3 {
		return "", 0, err
	}
	code, fault := strconv.ParseUint(s[start:length], base, 32)
	switch {
	case fault != nil, !isBytes && (code > utf8.MaxRune || !utf8.ValidRune(rune(code))):
		return "", 0, err
	case isBytes:
		return string([]byte{byte(code)}), length, nil
	}
	return string(rune(code)), length, nil
}
