package registry

import "strings"

const (
	// maxChallenge is how much of a header is read as challenges.
	maxChallenge = 8 << 10
	// maxParameters bounds what one answer may ask for.
	maxParameters = 64
)

// A challenge of WWW-Authenticate, RFC 9110, section 11.6.1.
type challenge struct {
	scheme     string            // in lower case
	parameters map[string]string // their names in lower case
}

func parseChallenges(values []string) []challenge {
	var list []challenge
	parameters := 0
	for _, value := range values {
		text := challengeParser(value[:min(len(value), maxChallenge)])
		for len(text) > 0 && parameters < maxParameters {
			parameters++
			list = text.parseNext(list)
		}
	}
	return list
}

func findBearer(list []challenge) (challenge, bool) { return findChallenge(list, "bearer") }

func findChallenge(list []challenge, scheme string) (challenge, bool) {
	for _, c := range list {
		if c.scheme == scheme {
			return c, true
		}
	}
	return challenge{}, false
}

type challengeParser string

func (t *challengeParser) parseNext(list []challenge) []challenge {
	t.skip(" \t,")
	name := t.readToken()
	if name == "" {
		t.skipPastComma()
		return list
	}
	before := *t
	t.skip(" \t")
	if !strings.HasPrefix(string(*t), "=") {
		*t = before
		return append(list, challenge{scheme: name, parameters: map[string]string{}})
	}
	*t = (*t)[1:]
	t.skip(" \t")
	if value, ok := t.readValue(); ok && len(list) > 0 {
		list[len(list)-1].parameters[name] = value
	} else {
		t.skipPastComma()
	}
	return list
}

func (t *challengeParser) skip(characters string) {
	*t = challengeParser(strings.TrimLeft(string(*t), characters))
}

func (t *challengeParser) skipPastComma() {
	_, rest, _ := strings.Cut(string(*t), ",")
	*t = challengeParser(rest)
}

func (t *challengeParser) readToken() string { return strings.ToLower(t.readWord()) }

// A token of RFC 9110, section 5.6.2.
func (t *challengeParser) readWord() string {
	end := 0
	for end < len(*t) && isTokenByte((*t)[end]) {
		end++
	}
	word := string((*t)[:end])
	*t = (*t)[end:]
	return word
}

func isTokenByte(b byte) bool {
	switch {
	case b >= '0' && b <= '9', b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z':
		return true
	}
	return strings.IndexByte("!#$%&'*+-.^_`|~/:", b) >= 0 // "/" and ":" occur in unquoted realms
}

func (t *challengeParser) readValue() (string, bool) {
	if !strings.HasPrefix(string(*t), `"`) {
		word := t.readWord()
		return word, word != ""
	}
	var value strings.Builder
	for i := 1; i < len(*t); i++ {
		switch b := (*t)[i]; {
		case b == '"':
			*t = (*t)[i+1:]
			return value.String(), true
		case b == '\\' && i+1 < len(*t):
			i++
			value.WriteByte((*t)[i])
		default:
			value.WriteByte(b)
		}
	}
	*t = ""
	return "", false // it is not terminated
}
