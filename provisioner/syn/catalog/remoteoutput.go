package catalog

import (
	"io"
	"strings"
	"sync"

	"exoshift/internal/fault"
	"exoshift/internal/text"
)

const maxRemoteOutput = 2000 // bytes

type remoteOutput struct {
	mutex sync.Mutex
	text  []byte
}

func (r *remoteOutput) Write(p []byte) (int, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.text = append(r.text, p[:min(len(p), maxRemoteOutput-len(r.text))]...)
	return len(p), nil
}

// String returns the messages in one line, without the prefixes that hosts put in front of lines.
func (r *remoteOutput) String() string {
	if r == nil {
		return ""
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return joinLines(string(r.text))
}

func joinLines(output string) string {
	var lines []string
	for line := range strings.FieldsFuncSeq(output, func(r rune) bool { return r == '\n' || r == '\r' }) {
		for _, mark := range []string{"remote:", "GL-HOOK-ERR:", "ERROR:", "fatal:", "error:"} {
			line = strings.TrimPrefix(strings.TrimSpace(line), mark)
		}
		if line = strings.TrimSpace(text.Sanitize(line)); strings.Trim(line, "=-") != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, " ")
}

type remoteError struct {
	cause   error
	message string
}

func (s remoteError) Error() string { return s.message }
func (s remoteError) Unwrap() error { return s.cause }

// limitedReader fails beyond the limit.
type limitedReader struct {
	from io.Reader
	left int64
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooMuch
	}
	n, err := l.from.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

var errTooMuch = fault.TooLargeError{What: "the repository", Limit: maxPack}

// truncateText bounds a text in bytes, and does not split characters.
func truncateText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
