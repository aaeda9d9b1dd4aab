package wizard

import (
	"strings"
	"unicode"
)

// Typable tells whether a character can be part of the field's value, as it is typed. Control characters never can.
// Whether the whole is right is told by Set.
func (f Field) Typable(r rune) bool {
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

func labelRune(r rune) bool { return 'a' <= r && r <= 'z' || isDigit(r) || r == '-' }

func domainRune(r rune) bool { return labelRune(r) || r == '.' }

// versionRune is one of a release, a channel, or the name of an instance type.
func versionRune(r rune) bool { return domainRune(r) }

// rangeRune is one of an IPv4 range.
func rangeRune(r rune) bool { return isDigit(r) || r == '.' || r == '/' }

// rangesRune is one of a list of ranges, also of IPv6.
func rangesRune(r rune) bool {
	return rangeRune(r) || strings.ContainsRune(":, abcdefABCDEF", r)
}

func noProxyRune(r rune) bool { return domainRune(r) || strings.ContainsRune("/,:*", r) }

// addressRune is one of a URL.
func addressRune(r rune) bool { return r < unicode.MaxASCII && r != ' ' }
