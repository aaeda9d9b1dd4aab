package openshift_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/apiserver"
	"exoshift/state"
)

const (
	emergencyNamespace = "appuio-emergency-credentials-controller"
	emergencyUser      = "system:serviceaccount:" + emergencyNamespace + ":cluster-emergency"
	emergencyResource  = "emergencyaccounts.cluster.appuio.io"
	adminAuthority     = "admin-kubeconfig-client-ca"
)

func guarded(t *testing.T) *rehearsal {
	t.Helper()
	r := rehearse(t)
	kind := kube.Kind{Group: "cluster.appuio.io", Version: "v1beta1", Resource: "emergencyaccounts", Kind: "EmergencyAccount", Namespaced: true}
	r.put(t, "customresourcedefinitions.apiextensions.k8s.io", "", kind.Definition())
	r.put(t, "namespaces", "", named("kube-system"))
	r.put(t, "configmaps", "openshift-config", with(named(adminAuthority), "data", map[string]any{"ca-bundle.crt": "the authority"}))
	made := time.Now().Add(time.Minute).UTC().Format(time.RFC3339)
	r.put(t, emergencyResource, emergencyNamespace, object(t, "cluster-emergency", `{"status": {"lastTokenCreationTimestamp": "`+made+`"}}`))
	r.tokens["very-secret"] = apiserver.User{Name: emergencyUser}
	r.admins[emergencyUser] = true
	return r
}

// emergency is a kubeconfig with the token; cluster has the fields of its cluster beside the server.
func (r *rehearsal) emergency(cluster string) []byte {
	return fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "Config", "current-context": "em", "contexts": [{"name": "em", "context": {"cluster": "em", "user": "em"}}],
		"clusters": [{"name": "em", "cluster": {%s}}], "users": [{"name": "em", "user": {"token": "very-secret"}}]}`, cluster)
}

func (r *rehearsal) trusting() string {
	return fmt.Sprintf(`"server": "https://%s:6443", "certificate-authority-data": "%s"`, apiName, base64.StdEncoding.EncodeToString(r.authority.CertPEM()))
}

func TestVerifyEmergency_ChecksAccess(t *testing.T) {
	const server = `"server": "https://` + apiName + `:6443"`
	for name, test := range map[string]struct {
		cluster string // "": right
		change  func(*testing.T, *rehearsal)
		want    fault.Kind
	}{
		"right":                  {"", nil, -1},
		"without an authority":   {server, nil, -1},
		"verifies nobody":        {server + `, "insecure-skip-tls-verify": true`, nil, fault.Invalid},
		"another name":           {`"server": "https://api.c2.example.net:6443"`, nil, fault.Invalid},
		"another port":           {`"server": "https://` + apiName + `"`, nil, fault.Invalid},
		"unencrypted":            {`"server": "http://` + apiName + `:6443"`, nil, fault.Invalid},
		"an authority of others": {server + `, "certificate-authority-data": "` + base64.StdEncoding.EncodeToString(authority(t).CertPEM()) + `"`, nil, fault.Transient},
		"an ended token":         {"", func(_ *testing.T, r *rehearsal) { clear(r.tokens) }, fault.Denied},
		"another user": {"", func(_ *testing.T, r *rehearsal) {
			r.tokens["very-secret"] = apiserver.User{Name: "system:admin", Groups: []string{"system:masters"}}
		}, fault.Invalid},
		"a user of a longer name": {"", func(_ *testing.T, r *rehearsal) {
			r.tokens["very-secret"] = apiserver.User{Name: strings.Replace(emergencyUser, ":cluster", "-x:cluster", 1), Groups: []string{"system:masters"}}
		}, fault.Invalid},
		"another cluster with this name": {"", func(_ *testing.T, r *rehearsal) {
			r.instead = func(w http.ResponseWriter, q *http.Request, api *apiserver.Server) {
				if q.Header.Get("Authorization") == "" || q.URL.Path != "/api/v1/namespaces/kube-system" {
					api.ServeHTTP(w, q)
					return
				}
				_, _ = io.WriteString(w, `{"metadata": {"name": "kube-system", "uid": "another"}}`)
			}
		}, fault.Invalid},
		"no power": {"", func(_ *testing.T, r *rehearsal) { clear(r.admins) }, fault.Denied},
		"no account": {"", func(t *testing.T, r *rehearsal) {
			if _, err := r.objects.Delete(emergencyResource, emergencyNamespace, "cluster-emergency"); err != nil {
				t.Fatal(err)
			}
		}, fault.Invalid},
		"tokens of before": {"", func(t *testing.T, r *rehearsal) {
			r.change(t, emergencyResource, emergencyNamespace, "cluster-emergency", "status.lastTokenCreationTimestamp", "1999-12-01T00:00:00Z")
		}, fault.Transient},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := guarded(t)
				if test.cluster == "" {
					test.cluster = r.trusting()
				}
				if test.change != nil {
					test.change(t, r)
				}
				got, err := r.VerifyEmergency(t.Context(), r.emergency(test.cluster))
				if test.want < 0 {
					if err != nil || got.User != emergencyUser || got.Account != "cluster-emergency" || got.TokenMade.IsZero() {
						t.Errorf("%+v, %v", got, err)
					}
					return
				}
				if !fault.Is(err, test.want) || strings.Contains(err.Error(), "very-secret") || fault.HintOf(err) == "" {
					t.Errorf("got %v, hint %q", err, fault.HintOf(err))
				}
			})
		})
	}
}

func TestVerifyEmergency_InvalidKubeconfigIsRedacted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := guarded(t)
		for _, content := range []string{"very-secret: [", "{}", strings.Replace(string(r.emergency(r.trusting())), `"token"`, `"tokenFile"`, 1),
			strings.Replace(string(r.emergency(r.trusting())), `"token"`, `"as": "system:admin", "token"`, 1),
		} {
			if _, err := r.VerifyEmergency(t.Context(), []byte(content)); !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "very-secret") {
				t.Errorf("got %v", err)
			}
		}
	})
}

func (r *rehearsal) bundle(t *testing.T) (authority, kept any) {
	t.Helper()
	found, _ := r.objects.Get("configmaps", "openshift-config", adminAuthority)
	return found.Map("data")["ca-bundle.crt"], found.Map("metadata.annotations")["exoshift-kept-authority"]
}

func TestRevokeAdmin_ByEmergencyAccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := guarded(t)
		r.before = func(q *http.Request) {
			if q.Method == http.MethodPatch && q.Header.Get("Authorization") == "" {
				t.Error("the administrator shut itself out")
			}
		}
		for _, want := range []state.Action{state.Updated, state.Found} { // the administrator has no access in the second run
			if got, err := r.RevokeAdmin(t.Context(), r.emergency(r.trusting())); err != nil || got != want {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
		}
		if authority, kept := r.bundle(t); authority != "" || kept != nil {
			t.Errorf("the authority is %v, kept is %v", authority, kept)
		}
	})
}

func TestRevokeAdmin_RefusesUnverifiedAccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := guarded(t)
		r.tokens["very-secret"] = apiserver.User{Name: "system:admin", Groups: []string{"system:masters"}}
		if _, err := r.RevokeAdmin(t.Context(), r.emergency(r.trusting())); !fault.Is(err, fault.Invalid) {
			t.Errorf("got %v", err)
		}
		if authority, _ := r.bundle(t); authority != "the authority" {
			t.Errorf("the authority is %v", authority)
		}
	})
}

func TestRevokeAdmin_RollsBackIfAdminRemains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := guarded(t)
		r.stubborn = true
		_, err := r.RevokeAdmin(t.Context(), r.emergency(r.trusting()))
		if !fault.Is(err, fault.Timeout) || !strings.Contains(err.Error(), "change") {
			t.Errorf("got %v", err)
		}
		if authority, kept := r.bundle(t); authority != "the authority" || kept != nil {
			t.Errorf("the authority is %v, kept is %v", authority, kept)
		}
	})
}

func TestRevokeAdmin_AdminRollsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := guarded(t)
		r.stubborn = true // its servers have not reloaded the CA yet
		var patched atomic.Bool
		r.instead = func(w http.ResponseWriter, q *http.Request, api *apiserver.Server) {
			if patched.Load() && q.Header.Get("Authorization") != "" {
				q.Header.Set("Authorization", "Bearer ended")
			}
			api.ServeHTTP(w, q)
			patched.Store(patched.Load() || q.Method == http.MethodPatch)
		}
		_, err := r.RevokeAdmin(t.Context(), r.emergency(r.trusting()))
		if !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "change") {
			t.Errorf("got %v", err)
		}
		if authority, _ := r.bundle(t); authority != "the authority" {
			t.Errorf("the authority is %v", authority)
		}
	})
}
