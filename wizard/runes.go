package wizard

import (
	"strings"
	"unicode"
)

// IsTypable reports whether a character can be part of the field's value, as it is typed. Control characters never can.
// Set checks the whole value.
func (f Field) IsTypable(r rune) bool {
	switch {
	case !unicode.IsPrint(r):
		return false
	case f.typable != nil:
		return f.typable(r)
	case f.value.shape == Number:
		return isDigit(r)
	case f.value.shape == Switch:
		return strings.ContainsRune("truefalse", r)
	case len(f.Choices) > 0:
		return strings.ContainsRune(strings.Join(f.Choices, ""), r)
	}
	return true
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isLabelRune(r rune) bool { return 'a' <= r && r <= 'z' || isDigit(r) || r == '-' }

func isDomainRune(r rune) bool { return isLabelRune(r) || r == '.' }

func isVersionRune(r rune) bool { return isDomainRune(r) }

func isRangeRune(r rune) bool { return isDigit(r) || r == '.' || r == '/' }

func isRangesRune(r rune) bool {
	return isRangeRune(r) || strings.ContainsRune(":, abcdefABCDEF", r)
}

func isNoProxyRune(r rune) bool { return isDomainRune(r) || strings.ContainsRune("/,:*", r) }

func isAddressRune(r rune) bool { return r < unicode.MaxASCII && r != ' ' }
