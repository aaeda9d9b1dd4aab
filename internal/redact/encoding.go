package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
)

// listEncodings returns how a secret looks in the files that may hold it: as it is, in JSON, in JSON within JSON, in a URL,
// and each of these in hexadecimal digits, in base64, and in base64 of base64.
func listEncodings(secret string) []string {
	plain := removeDuplicates(secret, encodeJSON(secret, true), encodeJSON(secret, false), encodeJSON(encodeJSON(secret, true), true),
		encodeJSON(encodeJSON(secret, false), false), url.QueryEscape(secret), url.PathEscape(secret))
	all := plain
	for _, text := range plain {
		digits := hex.EncodeToString([]byte(text))
		all = append(all, digits, strings.ToUpper(digits))
		for _, once := range encodeBase64(text) {
			all = append(all, once, url.QueryEscape(once))
			all = append(all, encodeBase64(once)...)
		}
	}
	return removeDuplicates(all...)
}

func removeDuplicates(texts ...string) []string {
	var once []string
	seen := map[string]bool{}
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			once = append(once, text)
		}
	}
	return once
}

// encodeJSON returns a text as the inside of a JSON string; encoders differ in whether they escape what matters in HTML.
func encodeJSON(text string, forHTML bool) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(forHTML)
	_ = encoder.Encode(text) // a string always encodes
	return strings.TrimSuffix(out.String()[1:], "\"\n")
}

// encodeBase64 returns what is sure to be in the base64 of anything that holds text: its first digits depend on what is
// before it, its last ones on what follows, and the rest on whether one or two bytes stand before it in its triple.
func encodeBase64(text string) []string {
	const bitsOfByte, bitsOfDigit = 8, 6
	var all []string
	for before := range 3 {
		digits := base64.StdEncoding.EncodeToString(append(make([]byte, before), text...))
		first := (before*bitsOfByte + bitsOfDigit - 1) / bitsOfDigit
		last := (before + len(text)) * bitsOfByte / bitsOfDigit
		if last > first {
			digits = digits[first:last]
			all = append(all, digits, strings.NewReplacer("+", "-", "/", "_").Replace(digits))
		}
	}
	return all
}
