package redact

import "strings"

// shortest is the minimum length of a secret to search for: shorter ones would match everywhere.
const shortest = 6

type literal struct {
	text  string
	kind  Kind
	value string
}

// literalSet finds many texts in one pass: by their first two bytes, then by their first six.
type literalSet struct {
	pairs  [1 << 16]bool
	begins map[[shortest]byte][]literal
}

func newLiteralSet() *literalSet { return &literalSet{begins: map[[shortest]byte][]literal{}} }

func (n *literalSet) add(text string, kind Kind, value string) {
	if len(text) < shortest {
		return
	}
	begin := [shortest]byte([]byte(text))
	for _, known := range n.begins[begin] {
		if known.text == text {
			return
		}
	}
	n.pairs[int(text[0])<<8|int(text[1])] = true
	n.begins[begin] = append(n.begins[begin], literal{text, kind, value})
}

func (n *literalSet) find(content []byte) []span {
	var found []span
	ended := 0
	for at := 0; at+shortest <= len(content); at++ {
		if !n.pairs[int(content[at])<<8|int(content[at+1])] {
			continue
		}
		if here, ok := n.matchAt(content[at:]); ok && at+len(here.text) > ended {
			ended = at + len(here.text)
			found = append(found, span{at, ended, here.kind, here.value})
		}
	}
	return found
}

func (n *literalSet) matchAt(content []byte) (longest literal, found bool) {
	for _, candidate := range n.begins[[shortest]byte(content)] {
		if len(candidate.text) > len(longest.text) && len(candidate.text) <= len(content) &&
			candidate.text == string(content[:len(candidate.text)]) {
			longest, found = candidate, true
		}
	}
	return longest, found
}

// isSearchable excludes words of ordinary language and names of objects, which would match elsewhere.
func isSearchable(text string) bool {
	return len(text) >= 8 && strings.IndexFunc(text, isUnusual) >= 0
}

func isUnusual(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	return !letter && !strings.ContainsRune("-_./: ", r)
}
