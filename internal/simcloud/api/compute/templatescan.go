package compute

import "bytes"

// scanner keeps an image's first four bytes and two values of its boot entry: the platform and the system's build.
type scanner struct {
	head            []byte
	platform, build search
}

func newScanner() *scanner {
	return &scanner{platform: search{key: "ignition.platform.id="}, build: search{key: " CoreOS "}}
}

func (s *scanner) Write(p []byte) (int, error) {
	if missing := 4 - len(s.head); missing > 0 {
		s.head = append(s.head, p[:min(missing, len(p))]...)
	}
	s.platform.scan(p)
	s.build.scan(p)
	return len(p), nil
}

// search finds the first value that follows a key.
type search struct {
	key   string
	rest  []byte // end of the previous window, where the key may begin
	value string
}

// maxValueLength is that of a build: "418.94.202501221327-0".
const maxValueLength = 32

func (s *search) scan(p []byte) {
	if s.value != "" {
		return
	}
	window := append(s.rest, p...)
	if _, after, found := bytes.Cut(window, []byte(s.key)); found {
		s.value = extractLeadingValue(after)
		// A value that reaches the end of the window may continue: search again with the next one.
		if len(s.value) == len(after) && len(after) < maxValueLength {
			s.value, s.rest = "", window
			return
		}
	}
	s.rest = bytes.Clone(window[max(0, len(window)-len(s.key)-maxValueLength):])
}

func (s *search) result() string {
	if s.value == "" {
		_, after, _ := bytes.Cut(s.rest, []byte(s.key))
		return extractLeadingValue(after)
	}
	return s.value
}

func extractLeadingValue(text []byte) string {
	end := bytes.IndexFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '.' && r != '-' })
	if end < 0 {
		end = len(text)
	}
	return string(text[:end])
}
