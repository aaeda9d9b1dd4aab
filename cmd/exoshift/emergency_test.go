package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/emergency"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/openshift"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"
)

func TestInvalidateKubeconfig_AfterVerifiedEmergencyAccess(t *testing.T) {
	long(t)
	t.Parallel()
	virtuallyIn(t, circumstances{scenario: "unexpected-alert", spec: connectedSpec}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		handedOverDespiteAnAlert(t, s)
		cluster := openshift.NewCluster(s.Net, s.ReadKubeconfig)
		defer cluster.Close()
		var out bytes.Buffer
		std := cli.Streams{Out: &out, Err: &out}
		if err := (emergencyFlags{}).verify(t.Context(), std, emergency.Access{Folder: s.Folder, Cluster: cluster, Credentials: emergencyKubeconfig(t, s, "no token")}); exit.Code(err) != exit.Denied {
			t.Errorf("a wrong token: %v", err)
		}
		given := emergency.Access{Folder: s.Folder, Cluster: cluster, Credentials: emergencyKubeconfig(t, s, emergencyToken(t, s))}
		if err := (emergencyFlags{}).verify(t.Context(), std, given); err != nil || !strings.Contains(out.String(), "is still valid,") {
			t.Errorf("verified: %v\n%s", err, out.String())
		}
		if err := (emergencyFlags{invalidate: true}).verify(t.Context(), std, given); exit.Code(err) != exit.Usage {
			t.Errorf("without a yes: %v", err)
		}
		agreed := emergencyFlags{invalidate: true}
		agreed.Yes = true
		if err := agreed.verify(t.Context(), std, given); err != nil {
			t.Errorf("%v\n%s", err, out.String())
		}
		if facts(t, s).Syn.AdminInvalidated.IsZero() {
			t.Error("the facts do not tell")
		}
		page, err := os.ReadFile(s.Folder.Path(state.HandoverFile))
		if err != nil || !strings.Contains(string(page), "the API rejects the first kubeconfig") {
			t.Errorf("the hand-over page does not tell: %v", err)
		}
	})
}

// handedOverDespiteAnAlert installs a cluster with an unexpected alert: alerts stay silenced and the hand-over page reports
// it, and once it was reviewed, the same command enables the routing of alerts.
func handedOverDespiteAnAlert(t *testing.T, s run.Run) {
	t.Helper()
	const alert, job = "KubeJobFailed in syn-cluster-backup", "/apis/batch/v1/namespaces/syn-cluster-backup/jobs/objects-check"
	installed(t, s)
	if noted := facts(t, s).Syn; len(noted.Alerts) != 1 || !strings.HasPrefix(noted.Alerts[0], alert) || !noted.OnCall.IsZero() {
		t.Errorf("the facts: %+v", noted)
	}
	if page, err := os.ReadFile(s.Folder.Path(state.HandoverFile)); err != nil || !strings.Contains(string(page), "Check this alert,") {
		t.Errorf("the page does not tell of it: %v", err)
	}
	requestCluster(t, s, http.MethodDelete, job, "", nil)
	installed(t, s)
	if noted := facts(t, s).Syn; len(noted.Alerts) > 0 || noted.OnCall.IsZero() {
		t.Errorf("the facts afterwards: %+v", noted)
	}
}

func emergencyToken(t *testing.T, s run.Run) string {
	t.Helper()
	const namespace = "appuio-emergency-credentials-controller"
	var accounts struct {
		Items []struct {
			Metadata struct{ Name string }
		}
	}
	askCluster(t, s, http.MethodGet, "/apis/cluster.appuio.io/v1beta1/namespaces/"+namespace+"/emergencyaccounts", &accounts)
	if len(accounts.Items) == 0 {
		t.Fatal("there is not an emergency account")
	}
	var made struct{ Status struct{ Token string } }
	requestCluster(t, s, http.MethodPost, "/api/v1/namespaces/"+namespace+"/serviceaccounts/"+accounts.Items[0].Metadata.Name+"/token",
		`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"expirationSeconds":3600}}`, &made)
	return made.Status.Token
}

func emergencyKubeconfig(t *testing.T, s run.Run, token string) []byte {
	t.Helper()
	kubeconfig, err := s.ReadKubeconfig()
	if err != nil {
		t.Fatal(err)
	}
	authorities, err := kubeapi.ParseAuthorities(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://api.%s:6443", certificate-authority-data: %s}}]
users: [{name: em, user: {token: "%s"}}]
contexts: [{name: em, context: {cluster: c, user: em}}]
current-context: em
`, s.Spec.Domain(), base64.StdEncoding.EncodeToString([]byte(authorities)), token)
}
