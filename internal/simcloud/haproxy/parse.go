package haproxy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

type parser struct {
	config   *configuration
	defaults proxy
	section  string
	current  *proxy // of a proxy section
	resolver string // of a resolvers section
	line     int
}

// parse parses a configuration. The error lists every invalid line.
func parse(text []byte) (*configuration, error) {
	p := parser{config: &configuration{resolvers: map[string]time.Duration{}}, defaults: newDefaults()}
	var faults []error
	for line := range strings.Lines(string(text)) {
		p.line++
		words, err := split(line)
		if err == nil && len(words) > 0 {
			err = p.read(words)
		}
		if err != nil {
			faults = append(faults, wrapLine(p.line, err))
		}
	}
	faults = append(faults, p.config.validate()...)
	return p.config, errors.Join(faults...)
}

func (p *parser) read(words []string) error {
	switch words[0] {
	case "global", "defaults", "frontend", "backend", "listen", "resolvers":
		return p.open(words)
	}
	switch p.section {
	case "":
		return fmt.Errorf("unknown keyword '%s' out of section", words[0])
	case "global":
		return checkGlobalDirective(words)
	case "resolvers":
		return p.parseResolverDirective(words)
	case "defaults":
		return p.defaults.parseDirective(words, p.line)
	}
	return p.current.parseDirective(words, p.line)
}

func (p *parser) open(words []string) error {
	p.section, p.current = words[0], nil
	switch p.section {
	case "global":
		return nil
	case "defaults":
		p.defaults = newDefaults()
		p.defaults.kind = "defaults"
		return nil
	}
	if len(words) != 2 {
		return fmt.Errorf("'%s' expects a name and nothing else", p.section)
	}
	if p.section == "resolvers" {
		p.resolver = words[1]
		p.config.resolvers[p.resolver] = 10 * time.Second
		return nil
	}
	opened := p.defaults
	opened.kind, opened.name, opened.line = words[0], words[1], p.line
	p.current = &opened
	p.config.proxies = append(p.config.proxies, p.current)
	return nil
}

// checkGlobalDirective accepts directives without effect on a simulated machine.
func checkGlobalDirective(words []string) error {
	known := []string{"log", "chroot", "stats", "user", "group", "daemon", "maxconn", "nbthread", "pidfile", "ca-base",
		"crt-base", "spread-checks", "hard-stop-after", "log-tag", "node", "description", "strict-limits"}
	if words[0] == "no" && len(words) > 1 {
		words = words[1:]
	}
	if slices.Contains(known, words[0]) || strings.HasPrefix(words[0], "ssl-default-") || strings.HasPrefix(words[0], "tune.") {
		return nil
	}
	return newUnknownError(words[0], "global")
}

func (p *parser) parseResolverDirective(words []string) error {
	known := []string{"nameserver", "parse-resolv-conf", "accepted_payload_size", "resolve_retries", "timeout", "hold"}
	if !slices.Contains(known, words[0]) {
		return newUnknownError(words[0], "resolvers")
	}
	if words[0] != "timeout" && words[0] != "hold" {
		return nil
	}
	if len(words) != 3 {
		return fmt.Errorf("'%s' expects an event and a time", words[0])
	}
	lasts, err := parseDuration(words[2])
	if err == nil && words[0] == "hold" && words[1] == "valid" {
		p.config.resolvers[p.resolver] = lasts
	}
	return err
}

func newUnknownError(word, section string) error {
	return fmt.Errorf("unknown keyword '%s' in '%s' section", word, section)
}

// split splits a line into words: quotes preserve blanks, a backslash escapes a character, # begins a comment.
func split(line string) ([]string, error) {
	var s splitter
	for _, r := range line {
		if r == '#' && s.quote == 0 && !s.escaped {
			break
		}
		s.add(r)
	}
	if s.quote != 0 {
		return nil, fmt.Errorf("unmatched quote %c", s.quote)
	}
	s.end()
	return s.words, nil
}

type splitter struct {
	words   []string
	word    strings.Builder
	open    bool // inside a word, possibly an empty one in quotes
	quote   rune
	escaped bool
}

func (s *splitter) add(r rune) {
	switch {
	case s.escaped:
		s.word.WriteRune(r)
		s.open, s.escaped = true, false
	case r == '\\' && s.quote != '\'':
		s.escaped = true
	case s.quote != 0 && r == s.quote:
		s.quote = 0
	case s.quote == 0 && (r == '"' || r == '\''):
		s.quote, s.open = r, true
	case s.quote == 0 && strings.ContainsRune(" \t\r\n", r):
		s.end()
	default:
		s.word.WriteRune(r)
		s.open = true
	}
}

func (s *splitter) end() {
	if s.open {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.open = false
}
