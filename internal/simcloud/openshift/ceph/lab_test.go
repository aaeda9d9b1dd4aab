package ceph

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/volumes"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/store"
)

// lab is a cluster with Ceph, whose kubelets are played: a pod runs for each Deployment whose node is there.
type lab struct {
	*cluster.Cluster
	t       *testing.T
	stopped bool // the operator
}

func inLab(t *testing.T, faults scenario.Cluster, nodes int, test func(*testing.T, *lab)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		shared, err := cluster.Load(store.NewMemory(), network.Clock{}, faults, "c-demo-x")
		if err != nil {
			t.Fatal(err)
		}
		l := &lab{Cluster: shared, t: t}
		for n := range nodes {
			l.addNode(n)
		}
		manifests, err := ListManifests()
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range manifests {
			kind, err := cluster.FindKindOf(l.Objects, one)
			if err == nil {
				err = l.Objects.Ensure(kind.GroupResource(), one.Namespace(), one, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		l.pass(2 * time.Minute)
		l.requireHealth("")
		for n := range 20 {
			l.mustRun("rados -p storagepool create object-" + strconv.Itoa(n))
		}
		test(t, l)
	})
}

func (l *lab) addNode(n int) {
	node := kube.NewNamed(fmt.Sprintf("storage-%d", n))
	node.Set("metadata.labels", kube.Object{storageLabel: "", "kubernetes.io/hostname": node.Name()})
	node.Set("status.conditions", []kube.Object{{"type": "Ready", "status": "True"}})
	if _, err := l.Objects.Create(cluster.NodeResource, "", node); err != nil {
		l.t.Fatal(err)
	}
}

// pass lets time pass.
func (l *lab) pass(length time.Duration) {
	l.t.Helper()
	for end := time.Now().Add(length); time.Now().Before(end); time.Sleep(operatorInterval) {
		l.syncPods()
		if l.stopped {
			_, _ = l.run("ceph status") // brings everything up to date
			continue
		}
		if err := (operator{l.Cluster}).reconcile(); err != nil && err.Error() != errNoNode.Error() {
			l.t.Fatal(err)
		}
	}
}

// syncPods plays scheduler and kubelets.
func (l *lab) syncPods() {
	for _, deployment := range append(l.Objects.List(cluster.DeploymentResource, Namespace), l.Objects.List(cluster.DeploymentResource, OperatorNamespace)...) {
		host := kube.Object(deployment.Map("spec.template.spec.nodeSelector"))["kubernetes.io/hostname"]
		_, runs := l.Objects.Get(cluster.PodResource, deployment.Namespace(), deployment.Name())
		node, there := l.Objects.Get(cluster.NodeResource, "", fmt.Sprint(host))
		switch cordoned, _ := node.Get("spec.unschedulable").(bool); {
		case runs && (deployment.GetInt("spec.replicas") == 0 || host != nil && !there):
			l.do(l.Objects.Delete(cluster.PodResource, deployment.Namespace(), deployment.Name()))
		case !runs && deployment.GetInt("spec.replicas") > 0 && (host == nil || there):
			pod := kube.NewNamed(deployment.Name())
			pod.Set("metadata.labels", deployment.Map("spec.template.metadata.labels"))
			if !cordoned {
				pod.Set("spec.nodeName", host)
				pod.Set("status.conditions", []kube.Object{{"type": "Ready", "status": "True"}})
			}
			l.do(l.Objects.Create(cluster.PodResource, deployment.Namespace(), pod))
		}
	}
	for _, pod := range l.Objects.List(cluster.PodResource, Namespace) {
		if _, wanted := l.Objects.Get(cluster.DeploymentResource, Namespace, pod.Name()); !wanted {
			l.do(l.Objects.Delete(cluster.PodResource, Namespace, pod.Name()))
		}
	}
	l.stopped = false
	if deployment, _ := l.Objects.Get(cluster.DeploymentResource, OperatorNamespace, operatorApp); deployment.GetInt("spec.replicas") == 0 {
		l.stopped = true
	}
}

func (l *lab) do(_ kube.Object, err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) run(command string) (string, error) {
	out, failure, code, _ := Execute(l.Cluster, kube.Object{"metadata": map[string]any{"namespace": Namespace, "labels": map[string]any{"app": toolsApp}}}, strings.Fields(command))
	if code != 0 {
		return out, fmt.Errorf("%d: %s", code, failure)
	}
	return out, nil
}

func (l *lab) mustRun(command string) string {
	l.t.Helper()
	out, err := l.run(command)
	if err != nil {
		l.t.Fatalf("%s: %v", command, err)
	}
	return out
}

// listChecks returns the codes of the health checks that fail.
func (l *lab) listChecks() []string {
	l.t.Helper()
	var status struct {
		Health struct{ Checks map[string]any }
	}
	if err := json.Unmarshal([]byte(l.mustRun("ceph status -f json")), &status); err != nil {
		l.t.Fatal(err)
	}
	codes := []string{}
	for code := range status.Health.Checks {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return codes
}

func (l *lab) requireHealth(wanted string) {
	l.t.Helper()
	if got := strings.Join(l.listChecks(), " "); got != wanted {
		l.t.Fatalf("the checks are %q, not %q\n%s", got, wanted, l.mustRun("ceph status"))
	}
}

// countStored counts the objects that are there.
func (l *lab) countStored() (count int) {
	for n := range 20 {
		if _, err := l.run("rados -p storagepool stat object-" + strconv.Itoa(n)); err == nil {
			count++
		}
	}
	return count
}

func (l *lab) scale(namespace, name string, replicas int) {
	l.t.Helper()
	l.do(l.Objects.Update(cluster.DeploymentResource, namespace, name, func(o kube.Object) error {
		o.Set("spec.replicas", replicas)
		return nil
	}))
}

func (l *lab) setCount(count int) {
	l.t.Helper()
	l.do(l.Objects.Update(ClusterResource, Namespace, clusterName, func(o kube.Object) error {
		sets := o.List("spec.storage.storageClassDeviceSets")
		sets[0]["count"] = count
		o.Set("spec.storage.storageClassDeviceSets", sets)
		return nil
	}))
}

func (l *lab) claimOf(id int) (claim, volume string) {
	deployment, _ := l.Objects.Get(cluster.DeploymentResource, Namespace, formatOSD(id))
	claim, _ = deployment.Label(claimLabel)
	found, _ := l.Objects.Get(volumes.ClaimResource, Namespace, claim)
	return claim, found.GetString("spec.volumeName")
}
