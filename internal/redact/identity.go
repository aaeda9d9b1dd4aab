package redact

import (
	"bytes"
	"strings"
)

type identity struct {
	kind  Kind
	value string
}

func (i identity) find(content []byte) []span {
	var found []span
	for at := 0; ; {
		next := bytes.Index(content[at:], []byte(i.value))
		if next < 0 {
			return found
		}
		start := at + next
		end := start + len(i.value)
		if (start == 0 || !isWordByte(content[start-1]) || escapeEnds(content, start)) && (end == len(content) || !isWordByte(content[end])) {
			found = append(found, span{start, end, i.kind, i.value})
		}
		at = start + 1
	}
}

func isWordByte(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }

// escapeEnds reports whether a JSON escape, of any depth, ends here: its letters are not part of a word.
func escapeEnds(content []byte, end int) bool {
	before := content[max(0, end-len(`\u003c`)):end]
	if n := len(before); n > 1 && before[n-2] == '\\' {
		return bytes.IndexByte([]byte("nrtbf"), before[n-1]) >= 0
	}
	return bytes.HasPrefix(before, []byte(`\u`))
}

func matchHyphenatedIP(text string) (string, bool) {
	return matchPublicIPv4(strings.ReplaceAll(text, "-", "."))
}
