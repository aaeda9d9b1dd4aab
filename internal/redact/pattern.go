package redact

import "regexp"

// textPattern is what a kind looks like. It is looked for where one of some words begins, or in the runs of some characters:
// searching everything for it would take minutes. The first group, or the whole match if there is none, is what is
// replaced.
type textPattern struct {
	kind   Kind
	begins []string                                  // in small letters: the expression, which has to begin with ^, is tried there and nowhere else
	after  func(before []byte) bool                  // nil: after anything
	limit  func(content []byte) endLimit             // nil: as far as the widest window
	runs   string                                    // else: characters of which there must be several in a row
	least  int                                       // how many
	has    string                                    // and what has to be among them
	expr   *regexp.Regexp                            // must not look far ahead in vain, or many beginnings in a row take for ever
	value  func(text string) (value string, ok bool) // nil: the text is its own value
}

// Parts of expressions. Texts may be escaped in JSON, also several times: a line break is then backslashes and an n, and
// quotes have backslashes before them.
const (
	quote  = `\\*"`                                          // in JSON, of any depth
	inside = `([^"\\\r\n]+(?:\\+[^"\\\r\n]+)*)`              // of quotes, without quotes in it
	opened = `([^"\\\s,:}\]][^"\\\r\n]*(?:\\+[^"\\\r\n]+)*)` // the same, if it cannot be what follows a closing quote
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

// listSecretWords begin the names of what is secret.
func listSecretWords() []string {
	return []string{
		"passw", "passphrase", "secret", "token", "credential", "apikey", "api_key", "api-key", "accesskey", "access_key",
		"access-key", "privatekey", "private_key", "private-key",
	}
}

// listPatterns lists what is known by its form alone.
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
		`"\s*:\s*"((?:[^"\\]|\\.)+)`,                                 // of an object of JSON
		`\\+"\s*:\s*\\+"((?:[^"\\{/\[]|\\{2,}.)(?:[^"\\]|\\{2,}.)*)`, // of one within a string of JSON
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
