package openshift

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"exoshift/internal/simcloud/kube"
)

const accountUser = "system:serviceaccount:"

// token returns what a pod of a service account shows to the API. It is made of the account's name and a secret of the
// cluster.
func (c *cluster) token(namespace, account string) string {
	name := namespace + ":" + account
	mac := hmac.New(sha256.New, c.record().Files["admin-kubeconfig-signer.key"])
	mac.Write([]byte(name))
	return name + ":" + hex.EncodeToString(mac.Sum(nil))
}

// bearer returns the service account that a token is of.
func (c *cluster) bearer(token string) (kube.User, bool) {
	parts := strings.Split(token, ":")
	if len(parts) != 3 || !hmac.Equal([]byte(token), []byte(c.token(parts[0], parts[1]))) {
		return kube.User{}, false
	}
	return kube.User{Name: accountUser + parts[0] + ":" + parts[1],
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + parts[0]}}, true
}

// authorize lets service accounts do what roles that are bound to them allow, and everybody else what is fixed.
func (c *cluster) authorize(a kube.Attributes) bool {
	return authorize(a) || strings.HasPrefix(a.User.Name, accountUser) && c.bound(a)
}

// bound looks for a binding of the user, in the cluster or in the namespace, whose role allows what is asked for.
func (c *cluster) bound(a kube.Attributes) bool {
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
		if binding.Text("roleRef.kind") == "Role" {
			resource, namespace = "roles"+group, a.Namespace
		}
		role, _ := c.objects.Get(resource, namespace, binding.Text("roleRef.name"))
		if binding.Text("roleRef.name") == "cluster-admin" || slices.ContainsFunc(role.List("rules"), func(rule kube.Object) bool { return allows(rule, a) }) {
			return true
		}
	}
	return false
}

func isSubject(subject kube.Object, user kube.User) bool {
	switch subject.Text("kind") {
	case "ServiceAccount":
		return user.Name == accountUser+subject.Text("namespace")+":"+subject.Text("name")
	case "Group":
		return user.In(subject.Text("name"))
	}
	return user.Name == subject.Text("name")
}

// allows tells whether a rule of a role covers what is asked for.
func allows(rule kube.Object, a kube.Attributes) bool {
	covers := func(field, value string) bool {
		return slices.ContainsFunc(rule.Texts(field), func(allowed string) bool { return allowed == "*" || allowed == value })
	}
	named := rule.Texts("resourceNames")
	return covers("verbs", a.Verb) && covers("apiGroups", a.Group) && covers("resources", a.Resource) &&
		(len(named) == 0 || slices.Contains(named, a.Name))
}
