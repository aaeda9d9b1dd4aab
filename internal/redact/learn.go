package redact

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"net/url"
	"regexp"
	"strings"
)

// How deep base64, gzip and URLs are unpacked to learn what is in them, and how much of it.
const (
	depth       = 4
	unpackLimit = 16 << 20 // bytes
)

// learnLimit is how many bytes the longest secret has that is looked for because it has the form of one: its spellings
// take some hundred times as many.
const learnLimit = 16 << 10

// AddSecret tells a secret, of which no spelling may be left. One of less than six bytes cannot be looked for.
func (r *Redactor) AddSecret(kind Kind, value string) {
	if len(value) < shortest || r.secrets[value] {
		return
	}
	r.secrets[value] = true
	for _, spelling := range listEncodings(value) {
		r.literals.add(spelling, kind, value)
	}
}

// ScanSecrets reads a file that is full of secrets and is not given away. What looks like a secret in it, and in what is packed
// in it, is a secret everywhere.
func (r *Redactor) ScanSecrets(content []byte) { r.unpack(content, depth) }

func (r *Redactor) unpack(content []byte, deeper int) {
	for _, s := range r.find(content) {
		if s.kind.IsSecret() && s.kind != Blob {
			r.addFound(s, content[s.start:s.end])
		}
	}
	if deeper == 0 {
		return
	}
	for _, digits := range r.digits.FindAll(content, -1) {
		if inner := decodeBase64(string(digits)); len(inner) > 0 {
			r.unpack(inner, deeper-1)
		}
	}
	for _, escaped := range r.escaped.FindAll(content, -1) {
		if inner, err := url.PathUnescape(string(escaped)); err == nil {
			r.unpack([]byte(inner), deeper-1)
		}
	}
}

// addFound keeps what has the form of a secret. Of a private key, each line is enough to be found by; of what is a name and
// a password in base64, the password.
func (r *Redactor) addFound(s span, text []byte) {
	if !isSearchable(s.value) || len(s.value) > learnLimit {
		return
	}
	if s.kind == Key && bytes.Contains(text, []byte("-----")) {
		for _, line := range r.lines.FindAll(text, -1) {
			for _, spelling := range listEncodings(string(line)) {
				r.literals.add(spelling, Key, s.value)
			}
		}
		return
	}
	r.AddSecret(s.kind, s.value)
	if _, password, found := strings.Cut(string(decodeBase64(s.value)), ":"); found && isSearchable(password) {
		r.AddSecret(Password, password)
	}
}

// expressions that are needed to take things apart.
type expressions struct {
	digits  *regexp.Regexp // of base64
	escaped *regexp.Regexp // for URLs
	lines   *regexp.Regexp // of a PEM block
}

func newExpressions() expressions {
	return expressions{
		digits:  regexp.MustCompile(`[\w+/-]{16,}={0,2}`),
		escaped: regexp.MustCompile(`[^\s"',\\]*%[0-9A-Fa-f]{2}[^\s"',\\]*`),
		lines:   regexp.MustCompile(`[A-Za-z0-9+/]{24,}={0,2}`),
	}
}

// decodeBase64 returns what base64 stands for, unpacked if it is packed, or nil if it stands for no text.
func decodeBase64(digits string) []byte {
	digits = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(digits, "="))
	content, err := base64.RawStdEncoding.DecodeString(digits)
	if err != nil {
		return nil
	}
	packed, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return content
	}
	unpacked, _ := io.ReadAll(io.LimitReader(packed, unpackLimit)) // what is damaged is learned from as far as it goes
	return unpacked
}
