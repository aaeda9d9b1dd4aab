// Package redact replaces secrets and identities in files by tokens, so that the files can be shared: a value gets the same
// token in all files, so that references stay recognizable.
//
// Secrets are found in three ways: by their form (a private key, a signed link), because the caller adds them (AddSecret), and
// because they are in files full of secrets (ScanSecrets). Every known secret is searched for as it is and as encoded in JSON,
// in URLs, in hexadecimal digits and in base64. Long base64 text of unknown content is replaced, too.
package redact

import (
	"bytes"
	"fmt"
	"slices"
)

// Redactor replaces secrets and identities. It needs all files before it returns the first one, as a secret found in one file
// may occur in any other. It is not safe for concurrent use.
type Redactor struct {
	expressions
	patterns   []textPattern
	secrets    map[string]bool
	literals   *literalSet // encodings of the secrets
	known      []identity
	own        []string        // domains of the cluster
	domains    map[string]bool // foreign ones
	files      []file
	numbers    map[Kind]map[string]int // of tokens, by value
	fileCounts []FileCounts
}

type file struct {
	name    string
	content []byte
	spans   []span // found by patterns
}

// New returns a redactor without known values.
func New() *Redactor {
	return &Redactor{
		expressions: newExpressions(), patterns: listPatterns(), secrets: map[string]bool{}, literals: newLiteralSet(),
		domains: map[string]bool{}, numbers: map[Kind]map[string]int{},
	}
}

// Add adds a file to redact. Its name is redacted, too.
func (r *Redactor) Add(name string, content []byte) {
	content = bytes.ToValidUTF8(content, []byte("\uFFFD"))
	found := r.find(content)
	r.collectSecrets(content, found)
	r.files = append(r.files, file{name, content, found})
}

func (r *Redactor) collectSecrets(content []byte, found []span) {
	for _, s := range found {
		switch {
		case s.kind == name:
			r.addDomain(content, s)
		case s.kind.isSecret() && s.kind != Blob:
			r.addFound(s, content[s.start:s.end])
		}
	}
}

// ForEach calls give with the redacted files, in the order in which they were added. It returns an error before it passes on a
// file with a secret in it.
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

func (r *Redactor) assignToken(s span) string {
	if r.numbers[s.kind] == nil {
		r.numbers[s.kind] = map[string]int{}
	}
	if r.numbers[s.kind][s.value] == 0 {
		r.numbers[s.kind][s.value] = len(r.numbers[s.kind]) + 1
	}
	return fmt.Sprintf("%s-%d", s.kind, r.numbers[s.kind][s.value])
}

// FileCounts returns the counts of each file that ForEach has passed on.
func (r *Redactor) FileCounts() []FileCounts { return r.fileCounts }

// CountValues returns the number of distinct values of a kind that were replaced.
func (r *Redactor) CountValues(kind Kind) int { return len(r.numbers[kind]) }

// Meanings returns the values of the tokens of identities, by token. Tokens of secrets are not included.
func (r *Redactor) Meanings() map[string]string {
	meanings := map[string]string{}
	for kind, values := range r.numbers {
		for value, number := range values {
			if !kind.isSecret() {
				meanings[fmt.Sprintf("%s-%d", kind, number)] = value
			}
		}
	}
	return meanings
}

func (r *Redactor) find(content []byte) []span {
	small := toLowerBytes(content)
	var found []span
	for _, f := range r.patterns {
		for at := range f.findWindows(small) {
			for _, match := range f.expr.FindAllSubmatchIndex(content[at.start:at.end], -1) {
				group := match[len(match)-2:]
				if s, ok := f.read(content, at.start+group[0], at.start+group[1]); ok {
					found = append(found, s)
				}
			}
		}
		for _, begin := range f.begins {
			found = append(found, f.findAtWord(content, small, []byte(begin))...)
		}
	}
	return found
}

// FileCounts counts the replacements in a file.
type FileCounts struct {
	File   string
	Counts map[Kind]int
}

// Count returns the number of replaced secrets, or of replaced identities.
func (t FileCounts) Count(secrets bool) int {
	sum := 0
	for kind, count := range t.Counts {
		if kind.isSecret() == secrets {
			sum += count
		}
	}
	return sum
}
