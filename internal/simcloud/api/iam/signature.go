package iam

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

const scheme = "EXO2-HMAC-SHA256 "

// signedPath is the context key of the signed path, where routing changed it.
type signedPath struct{}

// WithSignedPath keeps the path of a request for its signature and for the audit trail, where routing changes it.
func WithSignedPath(ctx context.Context, path string) context.Context {
	return context.WithValue(ctx, signedPath{}, path)
}

// SignedPath returns the path of a request before routing changed it.
func SignedPath(r *http.Request) string {
	if original, ok := r.Context().Value(signedPath{}).(string); ok {
		return original
	}
	return r.URL.EscapedPath()
}

// credential is a parsed Authorization header.
type credential struct {
	key       string
	args      []string // names of the query parameters that are signed, sorted
	expires   string   // seconds since 1970
	signature string
}

// authenticate returns the key of a request's signature.
func (a *Authorizer) authenticate(req *rest.Request) (key string, err error) {
	if a.config.RefuseCredentials {
		return "", rest.Errorf(http.StatusForbidden, "Forbidden: the API key is not valid")
	}
	given, ok := parseCredential(req.Header.Get("Authorization"))
	if !ok {
		return "", rest.Errorf(http.StatusUnauthorized, "Invalid or missing request signature")
	}
	secret, ok := a.lookupSecret(given.key)
	if !ok {
		return "", rest.Errorf(http.StatusForbidden, "Forbidden: unknown API key")
	}
	return given.key, a.verify(req.Request, req.Content, given, secret)
}

func (a *Authorizer) lookupSecret(key string) (string, bool) {
	if key == a.config.Key {
		return a.config.Secret, true
	}
	made, ok := a.Keys.table.Lookup(key)
	return made.Secret, ok
}

func parseCredential(header string) (credential, bool) {
	list, ok := strings.CutPrefix(header, scheme)
	if !ok {
		return credential{}, false
	}
	var c credential
	for pair := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(pair, "=")
		switch name {
		case "credential":
			c.key = value
		case "signed-query-args":
			c.args = strings.Split(value, ";")
		case "expires":
			c.expires = value
		case "signature":
			c.signature = value
		}
	}
	return c, c.key != "" && c.expires != "" && c.signature != ""
}

// verify checks signature and expiry. Signatures expire by the wall clock of the client.
func (a *Authorizer) verify(r *http.Request, body []byte, given credential, secret string) error {
	if !hmac.Equal([]byte(given.signature), []byte(sign(r, body, given, secret))) {
		return rest.Errorf(http.StatusUnauthorized, "Invalid request signature")
	}
	expires, err := strconv.ParseInt(given.expires, 10, 64)
	if err != nil || a.getServerTime(r).After(time.Unix(expires, 0)) {
		return rest.Errorf(http.StatusUnauthorized, "The request signature has expired")
	}
	return nil
}

// getServerTime returns the time that the API's clock has for the client.
func (a *Authorizer) getServerTime(r *http.Request) time.Time {
	asker, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || a.config.Now == nil {
		return time.Now()
	}
	return a.config.Now(asker.Addr())
}

// sign computes the signature over method and path, body, values of the signed parameters, no headers, expiry.
func sign(r *http.Request, body []byte, given credential, secret string) string {
	query, values := r.URL.Query(), ""
	for _, name := range given.args {
		values += query.Get(name)
	}
	message := strings.Join([]string{r.Method + " " + SignedPath(r), string(body), values, "", given.expires}, "\n")
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(message))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Signer returns the key of a request without its secret, or nil.
func (a *Authorizer) Signer(req *rest.Request) *WireKey {
	given, ok := parseCredential(req.Header.Get("Authorization"))
	if !ok {
		return nil
	}
	if made, ok := a.Keys.table.Lookup(given.key); ok {
		return &made.Wire
	}
	return &WireKey{Key: given.key, Name: "owner", Role: resource.StableID("iam-role/owner")}
}

// SignerSecret returns the key of a request and its secret.
func (a *Authorizer) SignerSecret(req *rest.Request) (key, secret string) {
	given, _ := parseCredential(req.Header.Get("Authorization"))
	secret, _ = a.lookupSecret(given.key)
	return given.key, secret
}
