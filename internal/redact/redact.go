// Package redact replaces secrets and identities in files by tokens, so that the files can be given away: the same value
// becomes the same token wherever it is, so that they can still be followed.
//
// Secrets are found in three ways: by their form (a private key, a signed link), because the owner said so (Secret), and
// because they are in files that are full of secrets (Learn). All that is known to be a secret is searched for as it is
// and as it looks in JSON, in URLs, in hexadecimal digits and in base64. What may be anything, a long text in base64, is
// replaced, too.
package redact

import (
	"bytes"
	"fmt"
	"slices"
)

// Redactor replaces what is secret and what tells who somebody is. It takes all files before it gives the first one back,
// as what one file shows to be a secret may be in any other. It is not safe for concurrent use.
type Redactor struct {
	expressions
	patterns   []textPattern
	secrets    map[string]bool
	literals   *literalSet // how the secrets may look
	known      []identity
	own        []string        // domains of the cluster
	domains    map[string]bool // of others
	files      []file
	numbers    map[Kind]map[string]int // of tokens, by value
	fileCounts []FileCounts
}

// file is a file that waits to be redacted.
type file struct {
	name    string
	content []byte
	spans   []span // what is known by its form
}

// New returns a redactor that knows no value yet.
func New() *Redactor {
	return &Redactor{
		expressions: newExpressions(), patterns: listPatterns(), secrets: map[string]bool{}, literals: newLiteralSet(),
		domains: map[string]bool{}, numbers: map[Kind]map[string]int{},
	}
}

// Add takes a file that is to be given away. The name is redacted with it.
func (r *Redactor) Add(name string, content []byte) {
	content = bytes.ToValidUTF8(content, []byte("\uFFFD"))
	found := r.find(content)
	r.collectSecrets(content, found)
	r.files = append(r.files, file{name, content, found})
}

// collectSecrets learns from a file what may be in others.
func (r *Redactor) collectSecrets(content []byte, found []span) {
	for _, s := range found {
		switch {
		case s.kind == name:
			r.addDomain(content, s)
		case s.kind.IsSecret() && s.kind != Blob:
			r.addFound(s, content[s.start:s.end])
		}
	}
}

// ForEach hands over the files, redacted, in the order in which they were added. It fails before it hands over a file with a
// secret in it.
func (r *Redactor) ForEach(give func(name string, content []byte) error) error {
	for _, f := range r.files {
		tally := FileCounts{Counts: map[Kind]int{}}
		tally.File = string(r.replace(file{content: []byte(f.name), spans: r.find([]byte(f.name))}, FileCounts{Counts: map[Kind]int{}}))
		content := r.replace(f, tally)
		if left := r.literals.find(content); len(left) > 0 {
			return fmt.Errorf("redact %s: one of the %s would be left in it; this is a defect of the program", f.name, left[0].kind.Describe())
		}
		r.fileCounts = append(r.fileCounts, tally)
		if err := give(tally.File, content); err != nil {
			return err
		}
	}
	return nil
}

// replace puts a token in the place of all that was found.
func (r *Redactor) replace(f file, tally FileCounts) []byte {
	var out bytes.Buffer
	at := 0
	for _, s := range merge(slices.Concat(r.resolveNames(f.spans), r.literals.find(f.content), r.findIdentities(f.content))) {
		out.Write(f.content[at:skipEscape(f.content, s.start, s.end)])
		out.WriteString(r.assignToken(s))
		tally.Counts[s.kind]++
		at = s.end
	}
	out.Write(f.content[at:])
	return out.Bytes()
}

// assignToken returns what stands for a value: numbered by first appearance.
func (r *Redactor) assignToken(s span) string {
	if r.numbers[s.kind] == nil {
		r.numbers[s.kind] = map[string]int{}
	}
	if r.numbers[s.kind][s.value] == 0 {
		r.numbers[s.kind][s.value] = len(r.numbers[s.kind]) + 1
	}
	return fmt.Sprintf("%s-%d", s.kind, r.numbers[s.kind][s.value])
}
