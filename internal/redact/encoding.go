package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
)

// listEncodings returns the forms in which a secret may occur: raw, JSON, JSON in JSON, URL-encoded, and each of these in
// hexadecimal, base64, and base64 of base64.
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

// encodeJSON returns the inside of a JSON string; encoders differ in whether they escape HTML characters.
func encodeJSON(text string, forHTML bool) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(forHTML)
	_ = encoder.Encode(text) // encoding a string never fails
	return strings.TrimSuffix(out.String()[1:], "\"\n")
}

// encodeBase64 returns the digits that any base64 with the text in it contains: the first ones depend on the bytes before it,
// the last ones on those after it, and the rest on its offset in a 3-byte group.
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
