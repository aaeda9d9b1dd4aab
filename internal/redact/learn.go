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

const (
	depth       = 4        // of nested base64, gzip and URLs
	unpackLimit = 16 << 20 // bytes
)

// learnLimit is the maximum length, in bytes, of a secret that is searched for because a pattern matched it: its encodings
// take some hundred times as much memory.
const learnLimit = 16 << 10

// AddSecret adds a secret, whose encodings are all replaced. A secret of less than six bytes cannot be searched for.
func (r *Redactor) AddSecret(kind Kind, value string) {
	if len(value) < shortest || r.secrets[value] {
		return
	}
	r.secrets[value] = true
	for _, spelling := range listEncodings(value) {
		r.literals.add(spelling, kind, value)
	}
}

// ScanSecrets collects secrets from a file that is not shared. What matches the pattern of a secret in it, or in data encoded
// in it, is replaced in all files.
func (r *Redactor) ScanSecrets(content []byte) { r.unpack(content, depth) }

func (r *Redactor) unpack(content []byte, deeper int) {
	for _, s := range r.find(content) {
		if s.kind.isSecret() && s.kind != Blob {
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

// addFound records matches of secret patterns. Each line of a private key is searched for on its own; of a name and password
// in base64, only the password.
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
	unpacked, _ := io.ReadAll(io.LimitReader(packed, unpackLimit)) // damaged data is used as far as it can be decompressed
	return unpacked
}

// AddIdentity adds a value that identifies the owner. It is replaced as a whole word, ignoring case. Of a domain only the
// domain itself is replaced, so that its subdomains can still be distinguished. Call it before the first Add.
func (r *Redactor) AddIdentity(kind Kind, value string) {
	if value == "" {
		return
	}
	value = toLower(value)
	r.known = append(r.known, identity{kind, value})
	if kind == Domain {
		r.own = append(r.own, value)
	}
}

func (r *Redactor) findIdentities(content []byte) []span {
	var found []span
	small := toLowerBytes(content)
	for _, one := range r.known {
		found = append(found, one.find(small)...)
	}
	return found
}
