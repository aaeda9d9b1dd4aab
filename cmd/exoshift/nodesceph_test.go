package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/internal/simcloud/openshift/ceph"
	"exoshift/provisioner/nodes"
	"exoshift/provisioner/openshift"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"
	"exoshift/state/rook"
)

func threeStorageNodes(spec *state.Spec) {
	spec.Sizing.Workers.Count, spec.Sizing.Infra.Count, spec.Sizing.Storage.Count = 3, 3, 3
}

// storedObjects is how many objects are written before nodes are changed.
const storedObjects = 20

// Tests of storage nodes share one installation with Ceph; each gets a copy.
func TestStorageNodes_OfAnInstalledCluster(t *testing.T) {
	long(t)
	t.Parallel()
	dir := t.TempDir()
	var finished time.Time
	virtuallyIn(t, circumstances{dir: dir, spec: threeStorageNodes}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		installed(t, s)
		installCeph(t, s)
		finished = time.Now()
	})
	t.Run("the scenario ceph-degraded", func(t *testing.T) {
		long(t)
		t.Parallel()
		copied := t.TempDir()
		copyTree(t, dir, copied)
		virtuallyIn(t, circumstances{dir: copied, begin: finished, spec: threeStorageNodes, scenario: "ceph-degraded"}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
			waitForCeph(t, s)
			degradedAwaited(t, s)
		})
	})
	for name, c := range map[string]struct {
		loop    faultLoop
		sampled []injectedFault
	}{
		"a replacement": {storageWithFaults, []injectedFault{killedBefore, killedAfter, answerLost, refusedBurst}},
		"an addition":   {storageAdditionWithFaults, []injectedFault{killedAfter, answerLost}},
	} {
		for first, how := range listFaults(c.sampled...) {
			t.Run(name+" with a fault at every call: "+string(how), func(t *testing.T) {
				long(t)
				t.Parallel()
				copied, by := t.TempDir(), &faultInjector{how: how}
				copyTree(t, dir, copied)
				virtuallyIn(t, circumstances{dir: copied, begin: finished, spec: threeStorageNodes, middleware: by.before}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
					waitForCeph(t, s)
					c.loop(t, s, by, first)
				})
			})
		}
	}
	tests := map[string]func(*testing.T, run.Run, *simcloud.Zone){"another takes the place of a replaced one": storageReplaced}
	if !testing.Short() {
		tests["another one is added"] = storageAdded
		tests["their cluster is stopped and started"] = cephHibernates
		tests["what Ceph cannot lose"] = storageRefused
		tests["a change that is stopped is undone"] = storageStopped
		tests["a removed one leaves its data"] = storageRemoved
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			copied := t.TempDir()
			copyTree(t, dir, copied)
			virtuallyIn(t, circumstances{dir: copied, begin: finished, spec: threeStorageNodes}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
				waitForCeph(t, s)
				test(t, s, zone)
			})
		})
	}
}

// installCeph installs Ceph and the applications of an Argo CD that looks after it, and writes objects.
func installCeph(t *testing.T, s run.Run) {
	t.Helper()
	post := func(path string, object any) {
		t.Helper()
		content, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		var answer map[string]any
		requestCluster(t, s, http.MethodPost, path, string(content), &answer)
		if answer["kind"] == "Status" {
			t.Fatalf("%s: %v", path, answer["message"])
		}
	}
	manifests, err := ceph.ListManifests()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range manifests {
		version, plural := one.GetString("apiVersion"), strings.ToLower(one.GetString("kind"))+"s"
		plural = strings.Replace(plural, "classs", "classes", 1)
		path := "/apis/" + version
		if version == "v1" {
			path = "/api/v1"
		}
		if namespace := one.Namespace(); namespace != "" {
			path += "/namespaces/" + namespace
		}
		post(path+"/"+plural, one)
	}
	post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", json.RawMessage(`{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": {"name": "applications.argoproj.io"}, "spec": {"group": "argoproj.io", "scope": "Namespaced", "names": {"plural": "applications", "singular": "application",
		"kind": "Application", "listKind": "ApplicationList"}, "versions": [{"name": "v1alpha1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
		"x-kubernetes-preserve-unknown-fields": true}}}]}}`))
	post("/api/v1/namespaces", json.RawMessage(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "syn"}}`))
	for _, name := range []string{"root", "rook-ceph"} {
		post("/apis/argoproj.io/v1alpha1/namespaces/syn/applications", json.RawMessage(fmt.Sprintf(`{"apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
			"metadata": {"name": %q}, "spec": {"syncPolicy": {"automated": {"prune": true, "selfHeal": true}, "syncOptions": ["A=true"]}}}`, name)))
	}
	waitForCeph(t, s)
	writeObjects(t, s)
}

// writeObjects writes what requireStored looks for.
func writeObjects(t *testing.T, s run.Run) {
	t.Helper()
	for n := range storedObjects {
		if err := runTool(t, s, "rados", "-p", "storagepool", "create", fmt.Sprintf("object-%d", n)); err != nil {
			t.Fatal(err)
		}
	}
}

func openCluster(t *testing.T, s run.Run) *openshift.Cluster {
	t.Helper()
	cluster := openshift.NewCluster(s.Net, s.ReadKubeconfig)
	t.Cleanup(cluster.Close)
	return cluster
}

// runTool runs a command in the toolbox of Ceph.
func runTool(t *testing.T, s run.Run, command ...string) error {
	t.Helper()
	var pods struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	askCluster(t, s, http.MethodGet, "/api/v1/namespaces/syn-rook-ceph-cluster/pods?labelSelector=app%3Drook-ceph-tools", &pods)
	if len(pods.Items) == 0 {
		t.Fatal("there is no toolbox")
	}
	connector := kubeapi.NewConnector(s.Net, s.ReadKubeconfig)
	defer connector.Close()
	api, err := connector.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = kubeapi.Exec(t.Context(), api, kubeapi.Container{Namespace: "syn-rook-ceph-cluster", Pod: pods.Items[0].Metadata.Name}, command...)
	return err
}

// waitForCeph waits until Ceph is well, after the zone was opened.
func waitForCeph(t *testing.T, s run.Run) {
	t.Helper()
	cluster := openshift.NewCluster(s.Net, s.ReadKubeconfig)
	defer cluster.Close()
	var seen rook.Ceph
	var err error
	for range 60 {
		if seen, err = cluster.GetCeph(t.Context()); err == nil && seen.Health == "HEALTH_OK" && len(seen.OSDs) == 3 {
			passTime(t, s, 2*time.Minute) // the budgets are counted
			return
		}
		passTime(t, s, 20*time.Second)
	}
	t.Fatalf("Ceph does not become well: %v, %+v", err, seen)
}

// requireStored requires that Ceph is well, with OSDs on these nodes, and that nothing is lost.
func requireStored(t *testing.T, s run.Run, hosts ...string) {
	t.Helper()
	cluster := openshift.NewCluster(s.Net, s.ReadKubeconfig)
	defer cluster.Close()
	seen, err := cluster.GetCeph(t.Context())
	var found []string
	for _, osd := range seen.OSDs {
		found = append(found, osd.Host)
	}
	slices.Sort(found)
	if err != nil || seen.Health != "HEALTH_OK" || !slices.Equal(found, hosts) {
		t.Errorf("Ceph has OSDs on %v, not %v: %v, %+v", found, hosts, err, seen)
	}
	for n := range storedObjects {
		if err := runTool(t, s, "rados", "-p", "storagepool", "stat", fmt.Sprintf("object-%d", n)); err != nil {
			t.Errorf("object-%d: %v", n, err)
		}
	}
	requireSwitchedBack(t, s)
}

// requireSwitchedBack requires that nothing is left silenced, cordoned, scaled down or switched off.
func requireSwitchedBack(t *testing.T, s run.Run) {
	t.Helper()
	requireUncordoned(t, s)
	cluster := openshift.NewCluster(s.Net, s.ReadKubeconfig)
	defer cluster.Close()
	setup, err := cluster.GetCephSetup(t.Context())
	if err != nil || setup.Replicas != 1 || setup.MonCheck != `{"interval":"45s","timeout":"600s"}` {
		t.Errorf("the setup is %+v: %v", setup, err)
	}
	policies, err := cluster.GetSyncPolicies(t.Context(), "root", "rook-ceph")
	for _, name := range []string{"root", "rook-ceph"} {
		want := `{"prune":true,"selfHeal":true}`
		if name == "root" && s.Spec.Syn.LieutenantURL != "" { // Steward's does not prune
			want = `{"prune":false,"selfHeal":true}`
		}
		if err != nil || policies[name] != want {
			t.Errorf("the policy of %s is %s, not %s: %v", name, policies[name], want, err)
		}
	}
	if options, err := cluster.GetCephOptions(t.Context()); err != nil || len(options) > 0 {
		t.Errorf("the options are %v: %v", options, err)
	}
	if lasting := listSilences(t, s); len(lasting) > 0 {
		t.Errorf("silences are left: %v", lasting)
	}
	if left := facts(t, s).Storage; left != nil && left.IsSwitched() {
		t.Errorf("the facts have %+v", left)
	}
}

// listSilences returns the comments of the silences that are active.
func listSilences(t *testing.T, s run.Run) (comments []string) {
	t.Helper()
	cluster := openshift.NewCluster(s.Net, s.ReadKubeconfig)
	defer cluster.Close()
	silences, err := cluster.ListSilences(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return silences
}

// argoCD sets back what is changed while it synchronizes by itself, whenever somebody looks at Ceph.
type argoCD struct {
	nodes.Cluster
	t     *testing.T
	count int // of the disks in its catalog
	seen  []string
}

func (c *argoCD) GetCeph(ctx context.Context) (rook.Ceph, error) {
	policies, err := c.GetSyncPolicies(ctx, "root", "rook-ceph")
	if err != nil {
		return rook.Ceph{}, err
	}
	if policies["root"] != "" && policies["rook-ceph"] == "" {
		c.seen = append(c.seen, "rook-ceph is off while root, which sets it back, is not")
	}
	if policies["rook-ceph"] != "" {
		if err := c.SetCephDevices(ctx, c.count); err != nil {
			return rook.Ceph{}, err
		}
		if err := c.ScaleCephOperator(ctx, 1); err != nil {
			return rook.Ceph{}, err
		}
	}
	return c.Cluster.GetCeph(ctx)
}

func machinesOf(t *testing.T, s run.Run, role state.Role) []string {
	t.Helper()
	spec, err := clusterdir.ReadAnswers(s.Folder)
	if err != nil {
		t.Fatal(err)
	}
	return machineNames(spec, role)
}

// storageReplaced requires that the data is on the new node before the old one loses it, and that all is there afterwards.
func storageReplaced(t *testing.T, s run.Run, zone *simcloud.Zone) {
	before := zone.Mutations()
	if out, err := replaceNodes(t, s, appnodes.Removal{Names: []string{"storage-1"}, DryRun: true}, nil); err != nil || zone.Mutations() != before {
		t.Errorf("a dry run: %v, %d calls changed something\n%s", err, zone.Mutations()-before, out)
	}
	argo := &argoCD{t: t, count: 3}
	out, err := replaceNodes(t, s, appnodes.Removal{Names: []string{"storage-1"}}, func(clients *nodes.Clients) { argo.Cluster = clients.Cluster; clients.Cluster = argo })
	if err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	if len(argo.seen) > 0 {
		t.Error(argo.seen)
	}
	checkRemoved(t, s, "storage-1", 12)
	requireStored(t, s, "storage-0", "storage-2", "storage-3")
	if names := machinesOf(t, s, state.RoleStorage); !slices.Equal(names, []string{"storage-0", "storage-2", "storage-3"}) {
		t.Errorf("the storage nodes are %v", names)
	}
	mons, err := openCluster(t, s).ListCephMons(t.Context())
	if err != nil || slices.ContainsFunc(mons, func(m rook.Mon) bool { return m.Node == "storage-1" || !m.Ready }) {
		t.Errorf("the mons are %+v: %v", mons, err)
	}
	if _, err := replaceNodes(t, s, appnodes.Removal{Names: []string{"storage-1"}}, nil); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "it is gone already") {
		t.Errorf("once more: %v", err)
	}
}

// storageRefused requires that what is not safe is refused, by the code of Ceph's check, and that nothing is changed by that.
func storageRefused(t *testing.T, s run.Run, zone *simcloud.Zone) {
	before := zone.Mutations()
	refused := func(names, says string, verb func(*testing.T, run.Run, appnodes.Removal, func(*nodes.Clients)) (string, error)) {
		t.Helper()
		_, err := verb(t, s, appnodes.Removal{Names: strings.Fields(names)}, nil)
		if exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "nothing was changed: ") {
			t.Errorf("%s: exit code %d, %v", names, exit.Code(err), err)
		}
	}
	refused("storage-1", "2 storage nodes would be left", removeNodes)
	refused("storage-1 storage-2", "one is changed at a time", replaceNodes)
	refused("storage-1 worker-1", "one is changed at a time", replaceNodes)
	if err := runTool(t, s, "ceph", "osd", "set", "noout"); err != nil {
		t.Fatal(err)
	}
	refused("storage-1", "OSDMAP_FLAGS: noout flag(s) set", replaceNodes)
	if err := runTool(t, s, "ceph", "osd", "unset", "noout"); err != nil {
		t.Fatal(err)
	}
	if err := runTool(t, s, "ceph", "osd", "out", "2"); err != nil {
		t.Fatal(err)
	}
	refused("storage-1", "PG_DEGRADED", replaceNodes)
	if zone.Mutations() != before {
		t.Errorf("%d calls changed something", zone.Mutations()-before)
	}
	requireSwitchedBack(t, s)
}

// storageRemoved adds a storage node whose disk Ceph does not use, and requires that another one is removed only when Ceph does without it, and that all data is there
// afterwards.
func storageRemoved(t *testing.T, s run.Run, _ *simcloud.Zone) {
	larger := s
	larger.Spec = s.Spec.WithCount(state.RoleStorage, 4)
	if err := installWith(t.Context(), larger, cli.Streams{Out: io.Discard, Err: io.Discard}); err != nil {
		t.Fatal(err)
	}
	cluster := openCluster(t, s)
	remove := func() (string, error) {
		argo := &argoCD{t: t, count: 3}
		return removeNodes(t, s, appnodes.Removal{Names: []string{"storage-1"}}, func(clients *nodes.Clients) { argo.Cluster = clients.Cluster; clients.Cluster = argo })
	}
	if _, err := remove(); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "2 other nodes would have OSDs") {
		t.Errorf("without a fourth OSD: %v", err)
	}
	if err := cluster.SetCephDevices(t.Context(), 4); err != nil {
		t.Fatal(err)
	}
	for range 120 {
		if seen, err := cluster.GetCeph(t.Context()); err == nil && len(seen.OSDs) == 4 && seen.Groups["active+clean"] == 32 {
			break
		}
		passTime(t, s, 30*time.Second)
	}
	if _, err := removeNodes(t, s, appnodes.Removal{Names: []string{"storage-1"}}, nil); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "rook_ceph.ceph_cluster.node_count to 3") {
		t.Errorf("the configuration wants four: %v", err)
	}
	if err := cluster.SetCephDevices(t.Context(), 3); err != nil { // as Argo CD does then
		t.Fatal(err)
	}
	if out, err := remove(); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	checkRemoved(t, s, "storage-1", 12)
	requireStored(t, s, "storage-0", "storage-2", "storage-3")
}
