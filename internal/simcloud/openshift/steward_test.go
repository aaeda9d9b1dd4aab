package openshift

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/argo"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/scenario"
)

const well = "Synced Healthy"

func application(name string) string {
	return `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ` + name + `, namespace: syn}
spec:
  project: syn
  source: {repoURL: 'ssh://git@git.vshn.net/` + catalogPath + `.git', path: manifests/` + name + `, targetRevision: HEAD}
  destination: {server: 'https://kubernetes.default.svc', namespace: syn-` + name + `}
  syncPolicy: {automated: {prune: true, selfHeal: true}}
`
}

func namespaced(name, rest string) string {
	return "apiVersion: v1\nkind: Namespace\nmetadata: {name: " + name + "}\n---\n" + rest
}

const argoOperated = `apiVersion: v1
kind: ServiceAccount
metadata: {name: operator, namespace: syn-argocd-operator}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: syn-argocd-operator-controller-manager, namespace: syn-argocd-operator}
spec:
  selector: {matchLabels: {app: operator}}
  template:
    metadata: {labels: {app: operator}}
    spec:
      serviceAccountName: operator
      containers:
      - {name: proxy, image: 'quay.io/brancz/kube-rbac-proxy:v0.15.0'}
      - {name: manager, image: 'quay.io/argoprojlabs/argocd-operator:v0.15.0'}
---
apiVersion: argoproj.io/v1beta1
kind: ArgoCD
metadata: {name: syn-argocd, namespace: syn}
spec: {}
`

// catalog is a catalog with Argo CD and a component that needs a secret.
func catalog(more map[string]string) map[string]string {
	files := map[string]string{
		"manifests/apps/argocd.yaml": application("argocd"), "manifests/apps/demo.yaml": application("demo"),
		"manifests/argocd/all.yaml": namespaced("syn-argocd-operator", argoOperated),
		"manifests/demo/10.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: registry}\n" +
			"stringData: {secret: '?{vaultkv:t-demo/c-demo/registry/httpSecret:0a1b2c3d}'}\n",
		"manifests/demo/00.yaml": namespaced("syn-demo", ""),
	}
	maps.Copy(files, more)
	return files
}

// secret creates the secret that the catalog refers to.
func (s *synLab) secret() {
	s.t.Helper()
	if err := s.vault.Put("t-demo/c-demo/registry", map[string]string{"httpSecret": "hidden"}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *synLab) synthesized() bool {
	argo := s.get(argo.ArgoCRPath + "/syn-argocd")
	return argo.GetString("status.phase") == "Available" && s.application("root") == well && s.application("argocd") == well && s.application("demo") == well
}

func (s *synLab) untilSynthesized(limit time.Duration) time.Duration {
	s.t.Helper()
	began := s.clock.Now()
	for !s.synthesized() {
		if s.clock.Now().Sub(began) > limit {
			s.t.Fatalf("not within %s:\n%s\n%s", limit, s.applications(), s.consoles())
		}
		_ = s.clock.Sleep(s.ctx, 5*time.Second)
	}
	return s.clock.Now().Sub(began)
}

func TestSteward_InstallsArgoCD(t *testing.T) {
	long(t)
	inSynLab(t, plan{}, catalog(nil), func(t *testing.T, s *synLab) {
		s.secret()
		s.apply(stewardManifests)
		took := s.untilSynthesized(15 * time.Minute)
		t.Logf("synthesized after %s", took)
		if took < 2*time.Minute || took > 8*time.Minute {
			t.Errorf("it took %s", took)
		}
		facts, _ := s.report()["dynamicFacts"].(map[string]any)
		want := map[string]any{"Major": "4", "Minor": "20", "Patch": "5"}
		if diff := cmp.Diff(want, facts["openshiftVersion"]); diff != "" || facts["kubernetesVersion"] == nil {
			t.Errorf("facts: %v %s", facts, diff)
		}
		if got := s.get(apiclient.FormatResourcePath("syn-demo", cluster.SecretResource) + "/registry").GetString("data.secret"); got != "aGlkZGVu" {
			t.Errorf("the secret is %q", got)
		}
		if s.get(argo.WorkloadsPath+"statefulsets/argocd-application-controller") != nil {
			t.Error("what Steward started still runs")
		}
	})
}

func TestSteward_RetriesSlowArgoCD(t *testing.T) {
	long(t)
	inSynLab(t, plan{faults: scenario.Cluster{SlowArgo: true}}, catalog(map[string]string{"manifests/demo/10.yaml": "{}"}), func(t *testing.T, s *synLab) {
		s.apply(stewardManifests)
		took := s.untilSynthesized(40 * time.Minute)
		t.Logf("synthesized after %s", took)
		if took < 10*time.Minute || !strings.Contains(s.consoles(), "restarting the ArgoCD operator") {
			t.Errorf("it took %s\n%s", took, s.consoles())
		}
	})
}

func TestSteward_ArgoCDReportsErrors(t *testing.T) {
	long(t)
	for name, test := range map[string]struct {
		catalog map[string]string
		breaks  func(*synLab)
		steward func(string) string
		says    string
		heal    func(*synLab)
	}{
		"a secret that nobody made": {says: "demo Unknown Healthy: Failed to load target state: failed to generate manifest for source 1 of 1: rpc error: code = Unknown desc = " +
			"plugin sidecar failed. error generating manifests in cmp", heal: (*synLab).secret},
		"a token that is not the cluster's": {steward: func(m string) string { return strings.Replace(m, "token: steward-token", "token: other", 1) },
			says: "unable to patch cluster object: API returned non-200: 401 Unauthorized"},
		"another host key":        {breaks: func(s *synLab) { s.ca = strings.Replace(s.ca, "git.", "got.", 1) }, says: "failed to list refs: ssh: handshake failed: knownhosts: key is unknown"},
		"a Git host out of reach": {breaks: func(s *synLab) { s.shut(22, true) }, says: "failed to list refs: ", heal: func(s *synLab) { s.shut(22, false) }},
		"a kind that nobody defined": {catalog: map[string]string{"manifests/demo/10.yaml": "apiVersion: example.net/v1\nkind: Gauge\nmetadata: {name: a}\n"},
			says: "The Kubernetes API could not find example.net/Gauge for requested resource syn-demo/a. Make sure the \"Gauge\" CRD is installed",
			heal: func(s *synLab) { s.commit(catalog(map[string]string{"manifests/demo/10.yaml": "{}"})) }},
		"a namespace that nobody made": {catalog: map[string]string{"manifests/demo/00.yaml": "{}", "manifests/demo/10.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"},
			says: "one or more objects failed to apply, reason: namespaces \"syn-demo\" not found", heal: func(s *synLab) {
				s.apply(namespaced("syn-demo", ""))
				_ = s.clock.Sleep(s.ctx, 10*time.Minute)
				if s.synthesized() {
					s.t.Error("a commit that failed is synced again")
				}
				s.commit(catalog(map[string]string{"manifests/demo/00.yaml": namespaced("syn-demo", "")}))
			}},
		"a catalog that is not YAML": {catalog: map[string]string{"manifests/demo/10.yaml": "a: [\n"}, says: "Failed to unmarshal \"10.yaml\""},
		"an image out of reach":      {breaks: func(s *synLab) { delete(s.names, "registry-1.docker.io") }, says: "pinging container registry registry-1.docker.io"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inSynLab(t, plan{}, catalog(test.catalog), func(t *testing.T, s *synLab) {
				manifests := stewardManifests
				if name != "a secret that nobody made" {
					s.secret()
				}
				if test.breaks != nil {
					test.breaks(s)
				}
				if test.steward != nil {
					manifests = test.steward(manifests)
				}
				s.apply(manifests)
				_ = s.clock.Sleep(s.ctx, 12*time.Minute)
				if text := s.applications() + s.consoles(); !strings.Contains(text, test.says) || s.synthesized() {
					t.Fatalf("nobody says %q:\n%s", test.says, text)
				}
				if test.heal != nil {
					test.heal(s)
					s.untilSynthesized(15 * time.Minute)
				}
			})
		})
	}
}
