package e2e

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"testing"

	"exoshift/wizard/reach"
)

// mirrorHost says which image a release is.
const mirrorHost = "mirror.openshift.com"

func TestCheck_RegistryReleaseLayers(t *testing.T) {
	program := registryProgram(t)
	l, ok := newLab(t, "quay.io A 203.0.113.10", "tokens.quay.io A 203.0.113.11", "cdn01.quay.io A 203.0.113.12",
		"mirror.openshift.com A 203.0.113.13")
	if !ok {
		return
	}
	l.runMirror(l.runRegistry(program).manifest)
	l.askAs(pulling(""), limits(), map[string]asked{
		"without a secret":         {url: "registry://quay.io", want: "ok - ++++"},
		"release without a secret": {url: "release://quay.io", want: "ok http-401 ++++"},
	})
	l.askAs(pulling(pullPassword), limits(), map[string]asked{
		"with a secret": {url: "registry://quay.io", want: "ok - ++++"},
		"release":       {url: "release://quay.io", want: "ok - ++++"},
	})
	l.askAs(pulling("wrong"), limits(), map[string]asked{
		"with a wrong secret":         {url: "registry://quay.io", want: "fail credentials +++x"},
		"release with a wrong secret": {url: "release://quay.io", want: "fail credentials +++x"},
	})
	unknown := pulling(pullPassword)
	unknown.Version = "4.99.0"
	l.askAs(unknown, limits(), map[string]asked{"unknown release": {url: "release://quay.io", want: "fail missing +++x"}})
	l.firewall("ip daddr 203.0.113.12 tcp dport 443 drop")
	l.askAs(pulling(pullPassword), limits(), map[string]asked{
		"registry, layers dropped": {url: "registry://quay.io", want: "ok - ++++"},
		"release, layers dropped":  {url: "release://quay.io", want: "fail tcp-timeout +x--", seen: "host=cdn01.quay.io"},
	})
}

// pulling is a task with a pull secret in the form of the real one.
func pulling(password string) reach.Task {
	task := reach.Task{Distribution: "ocp", Version: "4.20.5"}
	if password != "" {
		auth := base64.StdEncoding.EncodeToString([]byte(pullUser + ":" + password))
		task.PullSecret = fmt.Sprintf(`{"auths":{"quay.io":{"auth":%q,"email":"ops@example.net"}}}`, auth)
	}
	return task
}

// runMirror serves what the mirror says about one release.
func (l *lab) runMirror(digest string) {
	l.t.Helper()
	l.web(mirrorHost, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/pub/openshift-v4/x86_64/clients/ocp/4.20.5/release.txt" {
			http.NotFound(w, r)
			return
		}
		_, _ = fmt.Fprintf(w, "Client tools for OpenShift\n---\n\nName:           4.20.5\nDigest:         %s\nPull From: quay.io/%s@%s\n", digest, repository, digest)
	}))
}
