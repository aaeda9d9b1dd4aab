package syn

import (
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const (
	namespace     = "lieutenant"
	accountIssuer = "kubernetes/serviceaccount"
	accountPrefix = "system:serviceaccount:" + namespace + ":"
	engineer      = "engineer" // the service account with all permissions
)

func (s *Syn) newAccountToken(name string) (string, error) {
	signer, err := s.newJWTSigner(accountKey, jose.ES256)
	if err != nil {
		return "", err
	}
	return jwt.Signed(signer).Claims(map[string]any{
		"iss": accountIssuer, "sub": accountPrefix + name,
		"kubernetes.io/serviceaccount/namespace":            namespace,
		"kubernetes.io/serviceaccount/service-account.name": name,
	}).Serialize()
}

// ensureAccountToken returns the stored token of a service account. Like tokens in Secrets it never expires.
func (s *Syn) ensureAccountToken(name string) (string, error) {
	if kept, ok := s.keys.Get("token/" + name); ok {
		return string(kept.Private), nil
	}
	made, err := s.newAccountToken(name)
	if err != nil {
		return "", err
	}
	return made, s.keys.Put("token/"+name, secretKey{Private: []byte(made)})
}

// CreateAPIToken returns a token of the service account with all permissions.
func (s *Syn) CreateAPIToken() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ensureAccountToken(engineer)
}

// FindSubject returns the service account of a token, e.g. "system:serviceaccount:lieutenant:c-demo", as a token review would;
// false if it is invalid. A token of a deleted cluster is invalid.
func (s *Syn) FindSubject(token string) (subject string, ok bool) {
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return "", false
	}
	key, err := s.ensureSigner(accountKey)
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
	_, ok = s.clusters.Get(claims.Subject[min(len(accountPrefix), len(claims.Subject)):])
	return claims.Subject, ok
}
