package openshift

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/apiserver"
)

const accountUser = "system:serviceaccount:"

// issuePodToken derives a pod's token from the account's name and a secret of the cluster.
func (c *cluster) issuePodToken(namespace, account string) string {
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

func (c *cluster) issueToken(namespace, account string, expires time.Time) string {
	content, _ := json.Marshal(claims{"https://kubernetes.default.svc", accountUser + namespace + ":" + account, expires.Unix()}) // always works
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(tokenHeader)) + "." + encode(content)
	return signed + "." + encode(c.sign(signed))
}

func (c *cluster) sign(text string) []byte {
	mac := hmac.New(sha256.New, c.record().Files["admin-kubeconfig-signer.key"])
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

func (c *cluster) findTokenUser(token string) (apiserver.User, bool) {
	parts := strings.Split(c.verifyToken(token), ":")
	if len(parts) != 2 {
		return apiserver.User{}, false
	}
	if _, exists := c.objects.Get(accountResource, parts[0], parts[1]); !exists && parts[1] != "default" {
		return apiserver.User{}, false
	}
	return apiserver.User{Name: accountUser + parts[0] + ":" + parts[1],
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + parts[0]}}, true
}

func (c *cluster) verifyToken(token string) string {
	if parts := strings.Split(token, ":"); len(parts) == 3 {
		if hmac.Equal([]byte(token), []byte(c.issuePodToken(parts[0], parts[1]))) {
			return parts[0] + ":" + parts[1]
		}
		return ""
	}
	at := max(strings.LastIndex(token, "."), 0)
	signature, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(token[at:], "."))
	_, payload, _ := strings.Cut(token[:at], ".")
	content, malformed := base64.RawURLEncoding.DecodeString(payload)
	var said claims
	if err != nil || malformed != nil || !hmac.Equal(signature, c.sign(token[:at])) || json.Unmarshal(content, &said) != nil ||
		c.clock.Now().Unix() >= said.Expires {
		return ""
	}
	return strings.TrimPrefix(said.Subject, accountUser)
}

// authorize applies RBAC to service accounts, and the fixed rules to everybody else.
func (c *cluster) authorize(a apiserver.Attributes) bool {
	return authorize(a) || strings.HasPrefix(a.User.Name, accountUser) && c.hasBinding(a)
}

// hasBinding searches the bindings of the user, in the cluster or in the namespace, for a role that allows the request.
func (c *cluster) hasBinding(a apiserver.Attributes) bool {
	const group = ".rbac.authorization.k8s.io"
	bindings := c.objects.List("clusterrolebindings"+group, "")
	if a.Namespace != "" {
		bindings = append(bindings, c.objects.List("rolebindings"+group, a.Namespace)...)
	}
	for _, binding := range bindings {
		if !slices.ContainsFunc(binding.List("subjects"), func(subject kube.Object) bool { return isSubject(subject, a.User) }) {
			continue
		}
		resource, namespace := "clusterroles"+group, ""
		if binding.GetString("roleRef.kind") == "Role" {
			resource, namespace = "roles"+group, a.Namespace
		}
		role, _ := c.objects.Get(resource, namespace, binding.GetString("roleRef.name"))
		if binding.GetString("roleRef.name") == "cluster-admin" || slices.ContainsFunc(role.List("rules"), func(rule kube.Object) bool { return matchRule(rule, a) }) {
			return true
		}
	}
	return false
}

func isSubject(subject kube.Object, user apiserver.User) bool {
	switch subject.GetString("kind") {
	case "ServiceAccount":
		return user.Name == accountUser+subject.GetString("namespace")+":"+subject.GetString("name")
	case "Group":
		return user.HasGroup(subject.GetString("name"))
	}
	return user.Name == subject.GetString("name")
}

func matchRule(rule kube.Object, a apiserver.Attributes) bool {
	covers := func(field, value string) bool {
		return slices.ContainsFunc(rule.GetStrings(field), func(allowed string) bool { return allowed == "*" || allowed == value })
	}
	named := rule.GetStrings("resourceNames")
	return covers("verbs", a.Verb) && covers("apiGroups", a.Group) && covers("resources", a.Resource) &&
		(len(named) == 0 || slices.Contains(named, a.Name))
}
