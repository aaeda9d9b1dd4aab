package cluster

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	operatorv1 "github.com/openshift/api/operator/v1"

	"exoshift/state"
)

// A cluster comes alive on a real API, played by a script: each phase is told when its signal is there, and none before.
func TestPoll_AllPhases(t *testing.T) {
	t.Parallel()
	i := &installation{story: begin(t)}
	i.gate = i.story.gate(t)
	i.watcher = i.plane.watch(t, i.gate.port)
	for n := range 3 {
		m := &machine{name: fmt.Sprintf("master-%d", n), address: net.IPv4(198, 51, 100, byte(10+n)), plane: i.plane, first: i.bootstrapper}
		i.masters = append(i.masters, m)
		i.expected = append(i.expected, m.expected(state.RoleMaster))
	}
	i.worker = i.story.worker(i.watcher, "worker-0", 20)
	i.poll(t) // one answer is none
	for _, chapter := range []struct {
		play    func(*testing.T)
		reached string
	}{
		{func(*testing.T) {}, state.PhaseTemporaryAPI},
		{i.applyManifests, state.PhaseManifests},
		{i.bootMasters, state.PhaseMastersBoot},
		{i.joinMasters, state.PhaseMasters},
		{i.scaleEtcd, state.PhaseEtcd},
		{i.startControlPlane, state.PhaseControlPlane},
		{i.succeed, state.PhaseBootstrapped},
		{i.tearDown, state.PhaseTeardown},
		{i.completeEtcd, state.PhaseEtcdInCluster},
		{i.complete, state.PhaseComplete},
		{i.removeMember, state.PhaseMemberRemoved},
		{i.joinWorker, state.PhaseNodes},
		{i.install, state.PhaseVersion},
		{i.settle, state.PhaseStable},
	} {
		chapter.play(t)
		i.expect(t, chapter.reached)
	}
}

// installation is a cluster that comes alive, and what looks at it.
type installation struct {
	*story
	*watcher
	gate    *gate
	masters []*machine
	asked   []string // names of the masters' first requests
	worker  *machine
}

// expect takes a look: all phases up to one are reached, and nothing is asked for twice.
func (i *installation) expect(t *testing.T, phase string) {
	t.Helper()
	i.gate.requests()
	got := i.poll(t).Bootstrap
	all := state.ListPhases()
	want := all[:slices.Index(all, phase)+1]
	if !slices.Equal(got.Reached, want) {
		t.Fatalf("reached %v, want all up to %s", got.Reached, phase)
	}
	if len(want) < len(all) && got.Waiting == "" {
		t.Errorf("after %s it does not say what it waits for", phase)
	}
	// The API is asked whether it is ready by its name and on the bootstrap machine.
	asked := slices.DeleteFunc(i.gate.requests(), func(request string) bool { return request == "GET /readyz" })
	slices.Sort(asked)
	if distinct := slices.Compact(slices.Clone(asked)); len(distinct) != len(asked) {
		t.Errorf("after %s: something was asked for twice: %s", phase, strings.Join(asked, "\n"))
	}
	t.Logf("%s: %d requests; waiting: %s", phase, len(asked), got.Waiting)
}

func (i *installation) applyManifests(t *testing.T) {
	i.installed(t, false, "Working towards 4.20.3: 105 of 903 done (11% complete), waiting on etcd, kube-apiserver")
	if got := i.poll(t).Version; got.Percent != 11 || !slices.Equal(got.WaitingOn, []string{"etcd", "kube-apiserver"}) {
		t.Errorf("version: %+v", got)
	}
}

// bootMasters: the masters ask for their first certificates.
func (i *installation) bootMasters(t *testing.T) {
	for _, m := range i.masters {
		i.asked = append(i.asked, m.ask(t))
	}
}

// joinMasters: the bootstrap machine approves whatever is asked for, and the masters register. Who labels them is their
// kubelet on a real master, and the administrator here, as an API server of Kubernetes lets no kubelet do that.
func (i *installation) joinMasters(t *testing.T) {
	for n, m := range i.masters {
		i.approveBlindly(t, i.asked[n])
		own := m.collect(t, i.asked[n])
		m.register(t, own)
		i.patchNode(t, m.name, `{"metadata":{"labels":{"node-role.kubernetes.io/master":"","node-role.kubernetes.io/control-plane":""}}}`)
		request := m.askToServe(t, own)
		i.approveBlindly(t, request)
		m.collect(t, request)
		m.report(t, own, corev1.ConditionTrue, "kubelet is posting ready status")
	}
	if nodes := i.poll(t).Nodes; len(nodes) != len(i.masters) || !nodes[0].Ready || nodes[0].Address != "198.51.100.10" {
		t.Errorf("nodes: %+v", nodes)
	}
}

func (i *installation) approveBlindly(t *testing.T, name string) {
	t.Helper()
	requests := i.typed.CertificatesV1().CertificateSigningRequests()
	request, err := requests.Get(t.Context(), name, metav1.GetOptions{})
	must(t, err)
	request.Status.Conditions = append(request.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
		Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "KubectlApprove",
	})
	_, err = requests.UpdateApproval(t.Context(), name, request, metav1.UpdateOptions{})
	must(t, err)
}

func (i *installation) etcd(t *testing.T, members int, more ...operatorv1.OperatorCondition) {
	t.Helper()
	var names []string
	for _, m := range i.masters {
		names = append(names, m.name)
	}
	message := available(members, nil)
	i.reportEtcd(t, revisions(names...), append(more, condition("EtcdMembersAvailable", true, "EtcdQuorate", message))...)
}

func (i *installation) scaleEtcd(t *testing.T)    { i.etcd(t, 2, bootstrapConditions(true, false)...) }
func (i *installation) completeEtcd(t *testing.T) { i.etcd(t, 4, bootstrapConditions(true, true)...) }
func (i *installation) removeMember(t *testing.T) { i.etcd(t, 3, bootstrapConditions(false, true)...) }

// startControlPlane: one master is not enough.
func (i *installation) startControlPlane(t *testing.T) {
	i.runControlPlane(t, "master-0")
	if i.poll(t).Bootstrap.Has(state.PhaseControlPlane) {
		t.Error("one master is told to be the control plane")
	}
	i.runControlPlane(t, "master-0", "master-1")
}

func (i *installation) succeed(t *testing.T) {
	i.happen(t, "kube-system", "bootstrap-success", "BootstrapSuccess", "")
}

func (i *installation) tearDown(t *testing.T) {
	i.happen(t, "kube-system", "bootstrap-finished", "BootstrapFinished", "")
}

func (i *installation) complete(t *testing.T) {
	_, err := i.typed.CoreV1().ConfigMaps("kube-system").Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "bootstrap"}, Data: map[string]string{"status": "complete"},
	}, metav1.CreateOptions{})
	must(t, err)
}

func (i *installation) joinWorker(t *testing.T) {
	own := i.join(t, i.worker)
	i.worker.report(t, own, corev1.ConditionTrue, "kubelet is posting ready status")
}

// install: the version is there while an operator still progresses.
func (i *installation) install(t *testing.T) {
	i.operate(t, "etcd", true, false, false, "")
	i.operate(t, "console", true, true, false, "RouteHealth is being checked")
	i.installed(t, true, "Cluster version is 4.20.3")
	seen := i.poll(t)
	if seen.Version.Percent != 100 || !slices.Equal(seen.Version.Unstable, []string{"console"}) {
		t.Errorf("version: %+v", seen.Version)
	}
}

// settle: an operator that has been well for long is believed at the first look.
func (i *installation) settle(t *testing.T) {
	i.operate(t, "console", true, false, false, "")
	if seen := i.poll(t); seen.Bootstrap.Has(state.PhaseStable) {
		t.Error("an operator that has just changed is called stable")
	}
	t.Logf("requests in all: %v", i.CountRequests())
	i.watcher.Close()
	again := i.plane.watch(t, i.gate.port)
	again.expected = i.expected
	again.poll(t)
	i.watcher = again
}
