package openshift

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"exoshift/internal/simcloud/acmedns"
	"exoshift/internal/simcloud/githost"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/argo"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/server"
	"exoshift/internal/simcloud/store"
	"exoshift/internal/simcloud/vault"
)

const (
	lieutenantToken = "steward-token"
	catalogPath     = "syn/cluster-catalogs/c-demo"
)

// synLab is Project Syn in a lab: a Git host with a catalog, Vault, acme-dns, registries, and a minimal Lieutenant.
type synLab struct {
	*lab
	git   *githost.Host
	vault *vault.Vault
	acme  *acmedns.Server
	ca    string // hosts' keys

	mu       sync.Mutex
	reported map[string]any
	patches  int
	refusals int
}

// inSynLab runs a test with a master that can run all pods, and a catalog.
func inSynLab(t *testing.T, plan plan, catalog map[string]string, test func(*testing.T, *synLab)) {
	t.Helper()
	inLabOf(t, plan, func(t *testing.T, l *lab) {
		s := &synLab{lab: l}
		s.open(catalog)
		s.bootCluster(1, 0)
		s.until(60*time.Minute, "a master", func() bool { return s.ready() == 1 })
		if _, err := s.api.Do(s.ctx, http.MethodPatch, apiclient.NodesPath+"/master-0", kube.Object{"spec": kube.Object{"taints": []kube.Object{}}}); err != nil {
			t.Fatal(err)
		}
		test(t, s)
	})
}

func must[T any](t *testing.T, value T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func (s *synLab) open(catalog map[string]string) {
	s.t.Helper()
	key := must2(server.DeriveHostKey([]byte("seed"), "git.vshn.net"))(s.t)
	db := store.NewMemory()
	s.git = must2(githost.New(githost.Config{DB: db, Clock: s.clock, HostKey: key, Host: "git.vshn.net", Clusters: s.known}))(s.t)
	s.vault = must2(vault.New(vault.Config{DB: db, Now: s.clock.Now, ServiceAccount: func(jwt string) (string, string, bool) {
		return "t-demo", "c-demo", jwt == lieutenantToken
	}}))(s.t)
	s.acme = must2(acmedns.New(acmedns.Config{DB: db}))(s.t)
	s.ca = "git.vshn.net " + server.FormatAuthorizedKey(key)
	if err := s.git.Create(catalogPath); err != nil {
		s.t.Fatal(err)
	}
	s.commit(catalog)
	servers := server.New(server.Config{Fabric: s.fabric, CA: s.lab.ca, Now: func(netip.Addr) time.Time { return time.Now() }})
	s.t.Cleanup(func() { _ = servers.Close() })
	registry := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for i, site := range []server.Site{
		{Names: []string{"api.syn.vshn.net"}, Ports: server.NewWebPorts(http.HandlerFunc(s.lieutenant))},
		{Names: []string{"git.vshn.net"}, Ports: []server.Port{s.git.SSH()}},
		{Names: []string{"vault-prod.syn.vshn.net"}, Ports: server.NewWebPorts(s.vault.NewHandler())},
		{Names: []string{"acme-dns-api.vshn.net"}, Ports: server.NewWebPorts(s.acme.Handler())},
		{Names: []string{"registry-1.docker.io", "ghcr.io"}, Ports: server.NewWebPorts(registry)},
	} {
		site.Address = fmt.Sprintf("203.0.113.%d", 200+i)
		if err := servers.Add(site); err != nil {
			s.t.Fatal(err)
		}
		s.lab.mu.Lock()
		for _, name := range site.Names {
			s.names[name] = site.Address
		}
		s.lab.mu.Unlock()
	}
}

func must2[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		return must(t, value, err)
	}
}

// known is Lieutenant's reply to the Git host.
func (s *synLab) known(id string) (githost.Cluster, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	repo, _ := s.reported["gitRepo"].(map[string]any)
	key, _ := repo["deployKey"].(string)
	return githost.Cluster{Tenant: "t-demo", Catalog: catalogPath, DeployKey: key}, id == "c-demo"
}

// lieutenant accepts reports of the one cluster.
func (s *synLab) lieutenant(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer "+lieutenantToken {
		s.refusals++
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"reason":"Unauthorized"}`)
		return
	}
	if r.Method != http.MethodPatch || r.URL.Path != "/clusters/c-demo" || r.Header.Get("Content-Type") != "application/merge-patch+json" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.patches++
	_ = json.NewDecoder(r.Body).Decode(&s.reported)
	_ = json.NewEncoder(w).Encode(map[string]any{"id": "c-demo", "gitRepo": map[string]string{"url": "ssh://git@git.vshn.net/" + catalogPath + ".git", "hostKeys": s.ca}})
}

func (s *synLab) report() map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reported
}

// commit replaces the catalog's files.
func (s *synLab) commit(files map[string]string) {
	s.t.Helper()
	content := map[string][]byte{}
	for name, text := range files {
		content[name] = []byte(text)
	}
	if _, err := s.git.Commit(catalogPath, "Compiled", content); err != nil {
		s.t.Fatal(err)
	}
}

const stewardManifests = `apiVersion: v1
kind: Namespace
metadata: {name: syn}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: syn-admin}
rules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: syn-steward}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: syn-admin}
subjects: [{kind: ServiceAccount, name: steward, namespace: syn}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: steward, namespace: syn}
---
apiVersion: v1
kind: Secret
metadata: {name: steward, namespace: syn}
stringData: {token: steward-token}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: steward, namespace: syn}
spec:
  selector: {matchLabels: {app.kubernetes.io/name: steward}}
  template:
    metadata: {labels: {app.kubernetes.io/name: steward}}
    spec:
      serviceAccountName: steward
      containers:
      - name: steward
        image: docker.io/projectsyn/steward:v0.2.2
        env:
        - {name: STEWARD_API, value: "https://api.syn.vshn.net"}
        - {name: STEWARD_CLUSTER_ID, value: c-demo}
        - {name: STEWARD_TOKEN, valueFrom: {secretKeyRef: {name: steward, key: token}}}
        - {name: STEWARD_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
`

// apply applies manifests as kubectl would.
func (s *synLab) apply(manifests string) {
	s.t.Helper()
	objects := must2(cluster.ParseManifest([]byte(manifests)))(s.t)
	for _, object := range objects {
		collection := collectionOf(object)
		if err := s.api.Apply(s.ctx, collection, "exoshift", object); err != nil {
			s.t.Fatalf("%s %s: %v", object.GetString("kind"), object.Name(), err)
		}
	}
}

func collectionOf(object kube.Object) string {
	base := "/api/v1"
	if version := object.GetString("apiVersion"); strings.Contains(version, "/") {
		base = "/apis/" + version
	}
	if object.Namespace() != "" {
		base += "/namespaces/" + object.Namespace()
	}
	return base + "/" + strings.ToLower(object.GetString("kind")) + "s"
}

// application returns "sync health: message" of an application.
func (s *synLab) application(name string) string {
	found := s.get(argo.AppsPath + "/applications/" + name)
	text := found.GetString("status.sync.status") + " " + found.GetString("status.health.status")
	for _, condition := range found.List("status.conditions") {
		text += ": " + condition.GetString("message")
	}
	return text
}

func (s *synLab) applications() string {
	text := ""
	for _, found := range s.get(argo.AppsPath + "/applications").List("items") {
		text += found.Name() + " " + s.application(found.Name()) + "\n"
	}
	return text + s.podMessages()
}
