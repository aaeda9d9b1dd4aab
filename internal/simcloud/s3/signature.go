package s3

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	algorithm  = "AWS4-HMAC-SHA256"
	timeFormat = "20060102T150405Z"
	maxSkew    = 15 * time.Minute
	maxExpiry  = 7 * 24 * time.Hour

	unsignedPayload = "UNSIGNED-PAYLOAD"
)

// signature is a verified signature, with the state for verifying a chunked body.
type signature struct {
	key     string
	scope   string // "20260102/ch-gva-2/s3/aws4_request"
	headers []string
	value   string // hexadecimal
	date    string
	expires time.Duration // of a presigned link, else 0
	payload string        // the payload hash in the canonical request
	signing []byte        // the key derived for the scope
	allows  func(operation, bucket, object string) bool
}

// authenticator verifies the signatures of requests.
type authenticator struct {
	zone        string
	credentials Credentials
	now         func(asker netip.Addr) time.Time
}

// authenticate verifies the signature of a request; nil means that it has none.
func (a *authenticator) authenticate(r *http.Request) (*signature, error) {
	var sig *signature
	var err error
	switch {
	case r.Header.Get("Authorization") != "":
		sig, err = fromHeader(r, a.getServerTime(r))
	case r.URL.Query().Has("X-Amz-Signature") || r.URL.Query().Has("X-Amz-Credential"):
		sig, err = fromLink(r, a.getServerTime(r))
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := a.checkScope(sig); err != nil {
		return nil, err
	}
	if !isKnownPayload(sig.payload) {
		return nil, errArgument
	}
	secret, allows, ok := a.credentials(sig.key)
	if !ok {
		return nil, errKey
	}
	sig.signing, sig.allows = deriveSigningKey(secret, sig.scope), allows
	if !hmac.Equal([]byte(sig.value), []byte(sig.sign(algorithm, hashHex(buildCanonicalRequest(r, sig))))) {
		return nil, errSignature
	}
	return sig, checkSignedHeaders(r, sig)
}

// getServerTime returns the time that the storage's clock has for the client.
func (a *authenticator) getServerTime(r *http.Request) time.Time {
	asker, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || a.now == nil {
		return time.Now()
	}
	return a.now(asker.Addr())
}

// isKnownPayload reports whether the payload type of a signature is supported.
func isKnownPayload(payload string) bool {
	sum, err := hex.DecodeString(payload)
	return err == nil && len(sum) == sha256.Size || slices.Contains([]string{
		unsignedPayload, "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
		"STREAMING-" + algorithm + "-PAYLOAD", "STREAMING-" + algorithm + "-PAYLOAD-TRAILER",
	}, payload)
}

// fromHeader parses "AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…".
func fromHeader(r *http.Request, now time.Time) (*signature, error) {
	list, ok := strings.CutPrefix(r.Header.Get("Authorization"), algorithm+" ")
	if !ok {
		return nil, errMalformed
	}
	sig := &signature{date: r.Header.Get("X-Amz-Date"), payload: r.Header.Get("X-Amz-Content-Sha256")}
	for field := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		switch name {
		case "Credential":
			sig.key, sig.scope, _ = strings.Cut(value, "/")
		case "SignedHeaders":
			sig.headers = strings.Split(value, ";")
		case "Signature":
			sig.value = value
		}
	}
	if sig.payload == "" || sig.value == "" {
		return nil, errMalformed
	}
	signed, err := time.Parse(timeFormat, sig.date)
	if err != nil {
		return nil, errMalformed
	}
	if age := now.Sub(signed); age > maxSkew || age < -maxSkew {
		return nil, errSkewed
	}
	return sig, nil
}

func fromLink(r *http.Request, now time.Time) (*signature, error) {
	query := r.URL.Query()
	sig := &signature{
		date: query.Get("X-Amz-Date"), headers: strings.Split(query.Get("X-Amz-SignedHeaders"), ";"),
		value: query.Get("X-Amz-Signature"), payload: unsignedPayload,
	}
	sig.key, sig.scope, _ = strings.Cut(query.Get("X-Amz-Credential"), "/")
	if slices.Contains(sig.headers, "x-amz-content-sha256") {
		sig.payload = r.Header.Get("X-Amz-Content-Sha256")
	}
	signed, err := time.Parse(timeFormat, sig.date)
	seconds, fault := strconv.Atoi(query.Get("X-Amz-Expires"))
	sig.expires = time.Duration(seconds) * time.Second
	if err != nil || fault != nil || query.Get("X-Amz-Algorithm") != algorithm || seconds < 1 || sig.expires > maxExpiry {
		return nil, errMalformedLink
	}
	switch age := now.Sub(signed); {
	case age > sig.expires:
		return nil, errExpired
	case age < -maxSkew:
		return nil, errSkewed
	}
	return sig, nil
}

// checkScope refuses signatures for another day, region or service.
func (a *authenticator) checkScope(sig *signature) error {
	parts := strings.Split(sig.scope, "/")
	if len(parts) != 4 || parts[0] != sig.date[:8] || parts[2] != "s3" || parts[3] != "aws4_request" {
		return errMalformed
	}
	if parts[1] != a.zone {
		wrong := *errMalformed
		wrong.Region, wrong.Message = a.zone, "The region '"+parts[1]+"' is wrong; expecting '"+a.zone+"'"
		return &wrong
	}
	return nil
}

// checkSignedHeaders refuses unsigned headers that change the meaning of a request.
func checkSignedHeaders(r *http.Request, sig *signature) error {
	if !slices.Contains(sig.headers, "host") {
		return errUnsigned
	}
	for name := range r.Header {
		name = strings.ToLower(name)
		// A presigned link's payload may be announced in a header that its creator did not sign.
		link := sig.expires > 0 && name == "x-amz-content-sha256"
		if strings.HasPrefix(name, "x-amz-") && !link && !slices.Contains(sig.headers, name) {
			return errUnsigned
		}
	}
	return nil
}

func deriveSigningKey(secret, scope string) []byte {
	key := []byte("AWS4" + secret)
	for part := range strings.SplitSeq(scope, "/") {
		key = computeHMAC(key, part)
	}
	return key
}

// sign signs the lines that follow the algorithm, the date and the scope.
func (sig *signature) sign(algorithm string, lines ...string) string {
	text := append([]string{algorithm, sig.date, sig.scope}, lines...)
	return hex.EncodeToString(computeHMAC(sig.signing, strings.Join(text, "\n")))
}

func computeHMAC(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func hashHex(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func buildCanonicalRequest(r *http.Request, sig *signature) string {
	var headers strings.Builder
	for _, name := range sig.headers {
		headers.WriteString(name + ":" + getHeaderValue(r, name) + "\n")
	}
	return strings.Join([]string{
		r.Method, escape(r.URL.Path, true), buildCanonicalQuery(r.URL.Query()),
		headers.String(), strings.Join(sig.headers, ";"), sig.payload,
	}, "\n")
}

func getHeaderValue(r *http.Request, name string) string {
	switch name {
	case "host":
		return r.Host
	case "content-length":
		return strconv.FormatInt(r.ContentLength, 10)
	}
	values := slices.Clone(r.Header.Values(name))
	for i := range values {
		values[i] = strings.Join(strings.Fields(values[i]), " ")
	}
	return strings.Join(values, ",")
}

// buildCanonicalQuery sorts by names, then by values: of "select=" and "select-type=2" the first comes first, although "-" sorts before "=".
func buildCanonicalQuery(query url.Values) string {
	encoded := map[string][]string{}
	for name, values := range query {
		for _, value := range values {
			encoded[escape(name, false)] = append(encoded[escape(name, false)], escape(value, false))
		}
	}
	delete(encoded, "X-Amz-Signature")
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(encoded)) {
		for _, value := range slices.Sorted(slices.Values(encoded[name])) {
			pairs = append(pairs, name+"="+value)
		}
	}
	return strings.Join(pairs, "&")
}

// escape is the URI encoding of signatures: everything except letters, digits and "-._~", and in paths "/".
func escape(text string, path bool) string {
	var out strings.Builder
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~", c) >= 0, path && c == '/':
			out.WriteByte(c)
		default:
			out.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{c})))
		}
	}
	return out.String()
}
