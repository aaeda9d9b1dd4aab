package redact

import (
	"bytes"
	"strings"
)

// skipEscape returns where a text begins whose first letters belong to a JSON escape before it, such as the n of \n or the
// five characters after the backslash of \u0026.
func skipEscape(content []byte, start, end int) int {
	before := content[:start]
	if slashes := len(before) - len(bytes.TrimRight(before, `\`)); slashes%2 == 0 || start == end {
		return start
	}
	switch content[start] {
	case 'n', 'r', 't', 'b', 'f', '\\', '"', '/':
		return start + 1
	case 'u':
		return min(start+5, end)
	}
	return start
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
