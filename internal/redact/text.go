package redact

import (
	"bytes"
	"strings"
)

// skipEscape returns where a text begins whose first letters belong to an escape of JSON before it: that of \n is an n, and
// \u0026 has five of them.
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

// joinPEMLines returns a PEM block without its line breaks, so that it is the same in a file and in a line of JSON.
func joinPEMLines(text string) (string, bool) {
	return strings.NewReplacer(`\n`, "", `\r`, "", `\`, "", "\n", "", "\r", "", " ", "").Replace(text), true
}

// matchMixed wants more than small letters and hyphens: five-letter words in a row are no password, and "basic
// authentication" no header.
func matchMixed(text string) (string, bool) {
	return text, strings.Trim(text, "abcdefghijklmnopqrstuvwxyz-") != ""
}

// matchNoReference leaves out where a secret is to be found: answers say {env: NAME} or {file: PATH}.
func matchNoReference(text string) (string, bool) {
	return text, !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "[")
}

// matchBase64 tells long texts in base64 from long words, from paths and from digests: each tenth character is a large
// letter, each tenth a small one, and there is a number.
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

// matchWrappedBase64 tells base64 on several lines from words and digests on several lines by the first one.
func matchWrappedBase64(text string) (string, bool) {
	first := text[:strings.IndexAny(text, "\\\r\n \t")]
	_, ok := matchBase64(first)
	return text, ok
}

// matchUser leaves out the users that machines have by themselves.
func matchUser(text string) (string, bool) { return text, !isSystemUser(text) }

func isSystemUser(name string) bool {
	switch name {
	case "core", "root", "ubuntu":
		return true
	}
	return false
}

func matchAnyName(text string) (string, bool) { return toLower(text), true }
