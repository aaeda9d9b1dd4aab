package syn

import (
	"io"
	"net/http"
)

// stewardImage is the real Lieutenant's default; VSHN's setting is not published.
const stewardImage = "docker.io/projectsyn/steward:v0.2.2"

// install returns the install manifest, once for each bootstrap token.
func (l *Lieutenant) install(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	manifest, err := l.renderManifest(r.URL.Query().Get("token"))
	writeReply(w, http.StatusOK, manifest, err)
	if err == nil && l.operator.config.Faults.KeepsTokens {
		_, _ = io.WriteString(w, "\n"+`{"reason":"clusters.syn.tools is forbidden: User 'system:serviceaccount:lieutenant:lieutenant-api' cannot update resource 'clusters/status'"}`+"\n")
	}
}

func (l *Lieutenant) renderManifest(token string) (any, error) {
	if token == "" {
		return nil, newAPIError(http.StatusBadRequest, "Missing or malformed token")
	}
	if err := l.operator.reconcileAll(); err != nil {
		return nil, err
	}
	for _, c := range l.operator.clusters.List() {
		if c.Token.Secret != token {
			continue
		}
		if !c.Token.Valid || !l.operator.now().Before(c.Token.ValidUntil) {
			return nil, newAPIError(http.StatusUnauthorized, "Token already used or expired")
		}
		account, err := l.accounts.ensureToken(c.ID)
		if err != nil {
			return nil, newAPIError(http.StatusServiceUnavailable, "ServiceAccount token not ready, try again")
		}
		if l.operator.config.Faults.KeepsTokens {
			return buildStewardObjects(c.ID, account), nil
		}
		c.Token.Valid, c.Token.Taken = false, true
		return buildStewardObjects(c.ID, account), l.operator.clusters.Put(c.ID, c)
	}
	return nil, newAPIError(http.StatusUnauthorized, "Invalid token")
}

type object = map[string]any

func buildLabels() object {
	return object{"app.kubernetes.io/name": "steward", "app.kubernetes.io/managed-by": "syn"}
}

// buildStewardObjects returns the six objects of Steward's installation.
func buildStewardObjects(id, token string) object {
	const name, space, rbac = "steward", "syn", "rbac.authorization.k8s.io"
	here := func() object { return object{"name": name, "namespace": space, "labels": buildLabels()} }
	return object{"apiVersion": "v1", "kind": "List", "metadata": object{}, "items": []object{
		{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": space, "labels": buildLabels()}},
		{
			"apiVersion": rbac + "/v1", "kind": "ClusterRole", "metadata": object{"name": "syn-admin", "labels": buildLabels()},
			"rules": []object{
				{"apiGroups": []string{"*"}, "resources": []string{"*"}, "verbs": []string{"*"}},
				{"nonResourceURLs": []string{"*"}, "verbs": []string{"*"}},
			},
		},
		{
			"apiVersion": rbac + "/v1", "kind": "ClusterRoleBinding", "metadata": object{"name": "syn-steward", "labels": buildLabels()},
			"roleRef":  object{"apiGroup": rbac, "kind": "ClusterRole", "name": "syn-admin"},
			"subjects": []object{{"kind": "ServiceAccount", "name": name, "namespace": space}},
		},
		{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": here()},
		{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": here(), "spec": object{
			"selector": object{"matchLabels": buildLabels()},
			"template": object{"metadata": object{"labels": buildLabels()}, "spec": buildStewardPod(id)},
		}},
		{"apiVersion": "v1", "kind": "Secret", "metadata": here(), "stringData": object{"token": token}},
	}}
}

func buildStewardPod(id string) object {
	return object{
		"serviceAccountName": "steward",
		"securityContext":    object{"runAsNonRoot": true},
		"containers": []object{{
			"name": "steward", "image": stewardImage, "imagePullPolicy": "Always",
			"env": []object{
				{"name": "STEWARD_API", "value": "https://" + lieutenantHost},
				{"name": "STEWARD_CLUSTER_ID", "value": id},
				{"name": "STEWARD_TOKEN", "valueFrom": object{"secretKeyRef": object{"name": "steward", "key": "token"}}},
				{"name": "STEWARD_NAMESPACE", "valueFrom": object{"fieldRef": object{"fieldPath": "metadata.namespace"}}},
			},
			"resources": object{
				"requests": object{"cpu": "100m", "memory": "32Mi"},
				"limits":   object{"cpu": "200m", "memory": "64Mi"},
			},
		}},
	}
}
