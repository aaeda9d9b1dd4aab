package cluster

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/apiserver"
)

// AccountUser is the prefix of the user names of service accounts.
const AccountUser = "system:serviceaccount:"

// accounts are the service accounts of a cluster: their tokens, and what its roles allow them.
type accounts struct {
	objects *kube.Objects
	clock   network.Clock
	key     func() []byte // signs tokens
}

// IssuePodToken derives a pod's token from the account's name and a secret of the cluster.
func (c accounts) IssuePodToken(namespace, account string) string {
	name := namespace + ":" + account
	return name + ":" + hex.EncodeToString(c.sign(name))
}

type claims struct {
	Issuer  string `json:"iss"`
	Subject string `json:"sub"`
	Expires int64  `json:"exp"` // by the cluster's clock
}

// tokenHeader names a symmetric algorithm; the real one signs with a private key.
const tokenHeader = `{"alg":"HS256","typ":"JWT"}`

func (c accounts) issueToken(namespace, account string, expires time.Time) string {
	content, _ := json.Marshal(claims{"https://kubernetes.default.svc", AccountUser + namespace + ":" + account, expires.Unix()}) // always works
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(tokenHeader)) + "." + encode(content)
	return signed + "." + encode(c.sign(signed))
}

func (c accounts) sign(text string) []byte {
	mac := hmac.New(sha256.New, c.key())
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// FindTokenUser returns the user of a valid token.
func (c accounts) FindTokenUser(token string) (apiserver.User, bool) {
	parts := strings.Split(c.verifyToken(token), ":")
	if len(parts) != 2 {
		return apiserver.User{}, false
	}
	if _, exists := c.objects.Get(AccountResource, parts[0], parts[1]); !exists && parts[1] != "default" {
		return apiserver.User{}, false
	}
	return apiserver.User{Name: AccountUser + parts[0] + ":" + parts[1],
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + parts[0]}}, true
}

func (c accounts) verifyToken(token string) string {
	if parts := strings.Split(token, ":"); len(parts) == 3 {
		if hmac.Equal([]byte(token), []byte(c.IssuePodToken(parts[0], parts[1]))) {
			return parts[0] + ":" + parts[1]
		}
		return ""
	}
	at := max(strings.LastIndex(token, "."), 0)
	signature, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(token[at:], "."))
	_, payload, _ := strings.Cut(token[:at], ".")
	content, malformed := base64.RawURLEncoding.DecodeString(payload)
	var claimed claims
	if err != nil || malformed != nil || !hmac.Equal(signature, c.sign(token[:at])) || json.Unmarshal(content, &claimed) != nil ||
		c.clock.Now().Unix() >= claimed.Expires {
		return ""
	}
	return strings.TrimPrefix(claimed.Subject, AccountUser)
}
