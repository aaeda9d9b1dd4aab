package catalog

import (
	"bytes"
	"io"
)

// mask replaces a token in a program's output.
const mask = "[token]"

// maskingReader removes a secret from a text that is read in arbitrary parts. It holds back no more than what may be the
// beginning of the secret.
type maskingReader struct {
	from    io.Reader
	secret  []byte // empty: there is none
	ready   []byte // without the secret
	pending []byte // possible beginning of the secret
	err     error  // of from
}

// Read implements io.Reader.
func (m *maskingReader) Read(p []byte) (int, error) {
	part := make([]byte, len(p))
	for len(m.ready) == 0 {
		if m.err != nil {
			return 0, m.err
		}
		var n int
		n, m.err = m.from.Read(part)
		m.add(part[:n])
	}
	n := copy(p, m.ready)
	m.ready = m.ready[n:]
	return n, nil
}

func (m *maskingReader) add(part []byte) {
	text := append(m.pending, part...)
	m.pending = nil
	if len(m.secret) > 0 {
		text = bytes.ReplaceAll(text, m.secret, []byte(mask))
	}
	if m.err == nil {
		safe := len(text) - m.matchPrefix(text)
		text, m.pending = text[:safe], bytes.Clone(text[safe:])
	}
	m.ready = text
}

// matchPrefix returns how many bytes at the end of text are a prefix of the secret.
func (m *maskingReader) matchPrefix(text []byte) int {
	for n := min(len(text), len(m.secret)-1); n > 0; n-- {
		if bytes.HasSuffix(text, m.secret[:n]) {
			return n
		}
	}
	return 0
}
