package redact

import (
	"bytes"
	"strings"
)

// skipEscape returns where a text begins whose first letters belong to a JSON escape that begins before it, such as the n of \n, the
// five characters after the backslash of \u0026, or the last of those.
func skipEscape(content []byte, start, end int) int {
	if start == end {
		return start
	}
	if isEscaped(content, start) && strings.IndexByte(`nrtbf\"/`, content[start]) >= 0 {
		return start + 1
	}
	for at := start; at >= max(0, start-4); at-- {
		if content[at] == 'u' && isEscaped(content, at) {
			return min(at+5, end)
		}
	}
	return start
}

// isEscaped reports whether the backslash before a character is none itself.
func isEscaped(content []byte, at int) bool {
	before := content[:at]
	return (len(before)-len(bytes.TrimRight(before, `\`)))%2 == 1
}

// joinPEMLines removes line breaks, so that a PEM block has the same value in a file and in a JSON string.
func joinPEMLines(text string) (string, bool) {
	return strings.NewReplacer(`\n`, "", `\r`, "", `\`, "", "\n", "", "\r", "", " ", "").Replace(text), true
}

// matchMixed requires more than lower-case letters and hyphens, to exclude ordinary text such as "basic authentication".
func matchMixed(text string) (string, bool) {
	return text, strings.Trim(text, "abcdefghijklmnopqrstuvwxyz-") != ""
}

// matchNoReference excludes references of answers to secrets: {env: NAME} or {file: PATH}.
func matchNoReference(text string) (string, bool) {
	return text, !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "[")
}

// matchBase64 distinguishes base64 from long words, paths and digests: at least a tenth of the characters are upper case, a
// tenth lower case, and there is a digit.
func matchBase64(text string) (string, bool) {
	small, large := 0, 0
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z':
			small++
		case r >= 'A' && r <= 'Z':
			large++
		}
	}
	return text, min(small, large) >= len(text)/10 && strings.ContainsAny(text, digits)
}

func matchWrappedBase64(text string) (string, bool) {
	first := text[:strings.IndexAny(text, "\\\r\n \t")]
	_, ok := matchBase64(first)
	return text, ok
}

func matchUser(text string) (string, bool) { return text, !isSystemUser(text) }

func isSystemUser(name string) bool {
	switch name {
	case "core", "root", "ubuntu":
		return true
	}
	return false
}

func matchAnyName(text string) (string, bool) { return toLower(text), true }
