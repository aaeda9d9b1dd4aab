package syn

import (
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"exoshift/internal/simcloud/store"
)

const (
	namespace     = "lieutenant"
	accountIssuer = "kubernetes/serviceaccount"
	accountPrefix = "system:serviceaccount:" + namespace + ":"
	engineer      = "engineer" // the service account with all permissions
)

// accounts are the service accounts of Lieutenant: one of each cluster, and one with all permissions.
type accounts struct {
	keys     *keyring
	clusters *store.Table[cluster]
}

func (a *accounts) newToken(name string) (string, error) {
	signer, err := a.keys.newJWTSigner(accountKey, jose.ES256)
	if err != nil {
		return "", err
	}
	return jwt.Signed(signer).Claims(map[string]any{
		"iss": accountIssuer, "sub": accountPrefix + name,
		"kubernetes.io/serviceaccount/namespace":            namespace,
		"kubernetes.io/serviceaccount/service-account.name": name,
	}).Serialize()
}

// ensureToken returns the stored token of a service account. Like tokens in Secrets it never expires.
func (a *accounts) ensureToken(name string) (string, error) {
	if kept, ok := a.keys.table.Get("token/" + name); ok {
		return string(kept.Private), nil
	}
	made, err := a.newToken(name)
	if err != nil {
		return "", err
	}
	return made, a.keys.table.Put("token/"+name, secretKey{Private: []byte(made)})
}

// findSubject returns the service account of a token, e.g. "system:serviceaccount:lieutenant:c-demo", as a token review would;
// false if it is invalid. A token of a deleted cluster is invalid.
func (a *accounts) findSubject(token string) (subject string, ok bool) {
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return "", false
	}
	key, err := a.keys.ensureSigner(accountKey)
	if err != nil {
		return "", false
	}
	var claims jwt.Claims
	if err := parsed.Claims(key.Public(), &claims); err != nil || claims.Issuer != accountIssuer {
		return "", false
	}
	if claims.Subject == accountPrefix+engineer {
		return claims.Subject, true
	}
	_, ok = a.clusters.Get(claims.Subject[min(len(accountPrefix), len(claims.Subject)):])
	return claims.Subject, ok
}
