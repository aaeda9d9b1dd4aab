package redact

import "regexp"

// textPattern is the form of a kind. It is tried only where one of begins matches, or in runs of some characters: searching
// everything with a regular expression would take minutes. The first group, or the whole match without groups, is replaced.
type textPattern struct {
	kind   Kind
	begins []string                                  // in lower case: the expression, which has to begin with ^, is tried only there
	after  func(before []byte) bool                  // nil: after anything
	limit  func(content []byte) endLimit             // nil: up to the widest window
	runs   string                                    // else: characters of which several must follow each other
	least  int                                       // how many
	has    string                                    // and what they must include
	expr   *regexp.Regexp                            // must not scan far ahead in vain, or repeated beginnings take quadratic time
	value  func(text string) (value string, ok bool) // nil: the text is its own value
}

const (
	// Texts may be escaped as JSON, also repeatedly: a line break is then backslashes and an n, and quotes have backslashes
	// before them.

	quote  = `\\*"`                                          // in JSON, of any depth
	inside = `([^"\\\r\n]+(?:\\+[^"\\\r\n]+)*)`              // of quotes, without quotes in it
	opened = `([^"\\\s,:}\]][^"\\\r\n]*(?:\\+[^"\\\r\n]+)*)` // the same, if it cannot follow a closing quote
	block  = `(?:[A-Za-z0-9+/=\s]|\\+[nr])*`                 // of base64
	word   = `^(?i:passw(?:or)?d|passphrase|secret|token|credentials?|(?:api|secret|access|private)[_-]?key)`
	is     = `'?[ \t]*[:=][ \t]*`
	bare   = `([^\s"'{}\[\],;&\\<>]{6,})`
	noPath = `([^\s"'{}\[\],;&\\<>/][^\s"'{}\[\],;&\\<>]{5,})`

	privateKey  = `[A-Z0-9 ]*PRIVATE KEY`
	certificate = `CERTIFICATE(?: REQUEST)?`

	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
)

func listSecretWords() []string {
	return []string{
		"passw", "passphrase", "secret", "token", "credential", "apikey", "api_key", "api-key", "accesskey", "access_key",
		"access-key", "privatekey", "private_key", "private-key",
	}
}

func listPatterns() []textPattern {
	list := append(listKeyPatterns(), listPasswordPatterns()...)
	return append(append(list, listTokenPatterns()...), listIdentityPatterns()...)
}

func listKeyPatterns() []textPattern {
	return []textPattern{
		{kind: Key, begins: []string{"-----begin "}, expr: compilePEM(privateKey, ".*?-----END "+privateKey+"-----"), limit: toPEMEnd(privateKey), value: joinPEMLines},
		{kind: Key, begins: []string{"-----begin "}, expr: compilePEM(privateKey, block), value: joinPEMLines},
		{kind: Key, begins: []string{"exo"}, expr: regexp.MustCompile(`^EXO[0-9A-Za-z]{10,}`)},
		{kind: Key, begins: []string{"akia"}, expr: regexp.MustCompile(`^AKIA[0-9A-Z]{16}`)},
		{kind: Certificate, begins: []string{"-----begin "}, expr: compilePEM(certificate, ".*?-----END "+certificate+"-----"), limit: toPEMEnd(certificate), value: joinPEMLines},
		{kind: Certificate, begins: []string{"-----begin "}, expr: compilePEM(certificate, block), value: joinPEMLines},
		{kind: Blob, begins: []string{"h4si"}, expr: regexp.MustCompile(`^H4sI[\w+/-]{16,}={0,2}`)},
		{kind: Blob, runs: letters + digits + "+/_-=", least: 64, expr: regexp.MustCompile(`[\w+/-]{64,}={0,2}`), value: matchBase64},
		{kind: Blob, runs: letters + digits + "+/=\\ \t\r\n", least: 45, value: matchWrappedBase64,
			expr: regexp.MustCompile(`(?:[A-Za-z0-9+/]{32,}(?:\\+[nr]|[\r\n \t])+)+[A-Za-z0-9+/]{4,}={0,2}`)},
	}
}

func compilePEM(what, rest string) *regexp.Regexp {
	return regexp.MustCompile(`(?s)^-----BEGIN ` + what + `-----` + rest)
}

func listPasswordPatterns() []textPattern {
	list := []textPattern{
		{kind: Password, begins: []string{"://"}, limit: toLastAt, expr: regexp.MustCompile(`^://([^\s"'<>/@]*:[^\s"'<>]*)@`)},
		{kind: Password, begins: []string{"auth"}, expr: regexp.MustCompile(`^auth` + quote + `\s*:\s*` + quote + inside)},
		{kind: Password, runs: letters + digits + "-", least: 23, has: "-",
			expr: regexp.MustCompile(`\b(?:[A-Za-z0-9]{5}-){3}[A-Za-z0-9]{5}\b`), value: matchMixed},
		{kind: Password, begins: []string{"$"}, expr: regexp.MustCompile(`^\$(?:2[aby]|5|6|y)\$[^\s"'\\:]{20,}`)},
		{kind: Password, begins: listSecretWords(), after: isInFlag, expr: regexp.MustCompile(word + `[ \t]+` + bare)},
	}
	for _, rest := range []string{
		`"\s*:\s*"((?:[^"\\]|\\.)+)`,                                 // of a JSON object
		`\\+"\s*:\s*\\+"((?:[^"\\{/\[]|\\{2,}.)(?:[^"\\]|\\{2,}.)*)`, // within a JSON string
		is + `\\*"` + opened, is + `'([^'"\\\r\n]+)`, is + noPath,
	} {
		list = append(list, textPattern{kind: Password, begins: listSecretWords(), expr: regexp.MustCompile(word + rest), value: matchNoReference})
	}
	return list
}

func listTokenPatterns() []textPattern {
	return []textPattern{
		{kind: Token, runs: letters + digits + "_-.", least: 20, has: "eyj",
			expr: regexp.MustCompile(`eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?(?:\.[\w-]+)*`)},
		{kind: Token, begins: []string{"sha256~"}, expr: regexp.MustCompile(`^sha256~[\w-]{20,}`)},
		{kind: Token, begins: []string{"bearer", "basic"}, expr: regexp.MustCompile(`^(?i:bearer|basic)[ \t]+([\w.~+/=-]{8,})`), value: matchMixed},
		{kind: Token, begins: []string{"hvs.", "hvb.", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "glpat-"}, expr: regexp.MustCompile(`^\w+[._-][\w-]{20,}`)},
		{kind: Signature, begins: []string{"x-amz-", "signature", "awsaccesskeyid", "sig"},
			expr: regexp.MustCompile(`^(?i:x-amz-(?:signature|credential|security-token)|signature|awsaccesskeyid|sig)(?:=|%3[Dd])([^\s"'&\\<>,]+)`)},
	}
}

func listIdentityPatterns() []textPattern {
	const hex = "0123456789ABCDEFabcdef"
	return []textPattern{
		{kind: SSHKey, begins: []string{"ssh-", "ecdsa-", "sk-"}, expr: regexp.MustCompile(`^[\w@.-]{1,60}[ \t]+(AAAA[A-Za-z0-9+/=]{16,})`)},
		{kind: Email, runs: letters + digits + "_.%+-@", least: 6, has: "@", expr: regexp.MustCompile(`[\w.%+-]+@[\w-]+(?:\.[\w-]+)+`), value: matchMailbox},
		{kind: IP, runs: letters + digits + "_.-", least: 7, has: ".", value: matchPublicIPv4,
			expr: regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}(?:\.in-addr\.arpa)?\b`)},
		{kind: IP, runs: digits + "-", least: 7, has: "-", expr: regexp.MustCompile(`^-?(\d{1,3}(?:-\d{1,3}){3})-?$`), value: matchHyphenatedIP},
		{kind: IP, runs: hex + ":.", least: 3, has: ":", expr: regexp.MustCompile(`^[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:]*[0-9A-Fa-f]`), value: matchPublicIPv6},
		{kind: User, begins: []string{"/home/", "/users/"}, expr: regexp.MustCompile(`^/\w+/([^/\s"'\\:]+)`), value: matchUser},
		{kind: name, runs: letters + digits + "_.-", least: 4, has: ".", value: matchAnyName,
			expr: regexp.MustCompile(`\b\w(?:[\w-]*\w)?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+`)},
	}
}
