package openshift_test

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/certificate"
	"exoshift/provisioner/openshift"
	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

func newCluster(r *rehearsal, kubeconfig func() ([]byte, error)) *openshift.Cluster {
	return openshift.NewCluster(r.net, kubeconfig)
}

func TestEtcdMembersAreNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		if status, err := r.Etcd(t.Context()); err != nil || len(status.Members) != 0 {
			t.Errorf("before the operator has reported: %+v, %v", status, err)
		}
		for name, address := range map[string]string{"master-0": "192.0.2.10", "master-1": "192.0.2.11", "master-2": "192.0.2.12"} {
			r.put(t, "nodes", "", master(name, address))
		}
		r.put(t, "etcds.operator.openshift.io", "", with(named("cluster"), "status.conditions",
			conditions([3]string{"EtcdMembersAvailable", "True", "3 members are available"})))
		r.put(t, "configmaps", "openshift-etcd", with(named("etcd-endpoints"), "data", map[string]any{"8e9e05c52164694d": "192.0.2.11"}))
		r.put(t, "events", "openshift-etcd-operator", with(with(named("added"), "reason", "MemberAddAsLearner"),
			"message", "successfully added new member https://192.0.2.12:2380"))
		r.put(t, "events", "openshift-etcd-operator", with(with(named("failed"), "reason", "MemberAddAsLearner"),
			"message", "failed to add new member https://192.0.2.10:2380: timeout"))
		got, err := r.Etcd(t.Context())
		want := state.EtcdStatus{Message: "3 members are available", Members: []state.EtcdMember{
			{Name: "etcd-bootstrap", State: "voter"}, {Name: "master-1", State: "voter"}, {Name: "master-2", State: "learner"},
		}}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	})
}

func TestNodesAreListedWithWhyTheyAreNotReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.put(t, "nodes", "", named("worker-1"))
		infra := with(master("infra-0", "192.0.2.20"), "status.conditions", conditions([3]string{"Ready", "False", "no CNI plugin"}))
		infra.Set("spec.taints", []any{map[string]any{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}})
		r.put(t, "nodes", "", infra)
		r.put(t, "nodes", "", with(named("storage-0"), "status.conditions", conditions([3]string{"Ready", "True", "kubelet is ready"})))
		got, err := r.Nodes(t.Context())
		want := []state.NodeStatus{
			{
				Name: "infra-0", Reason: "no CNI plugin", Address: "192.0.2.20",
				Labels: map[string]string{"node-role.kubernetes.io/master": "", "kubernetes.io/hostname": "infra-0"},
				Taints: []state.Taint{{Key: "node.kubernetes.io/not-ready", Effect: "NoSchedule"}},
			},
			{Name: "storage-0", Ready: true},
			{Name: "worker-1", Reason: "it has not reported yet"},
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	})
}

func TestLabelNodeAddsOnlyWhatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		node := with(named("infra-0"), "metadata.labels", map[string]any{"kept": "yes"})
		r.put(t, "nodes", "", with(node, "spec.taints", []any{map[string]any{"key": "kept", "effect": "NoExecute"}}))
		labels := map[string]string{"node-role.kubernetes.io/infra": ""}
		taints := []state.Taint{{Key: "node-role.kubernetes.io/infra", Effect: "NoSchedule"}}
		for _, want := range []state.Action{state.Updated, state.Found} {
			if got, err := r.LabelNode(t.Context(), "infra-0", labels, taints); err != nil || got != want {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
		}
		nodes, err := r.Nodes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{"kept": "yes", "node-role.kubernetes.io/infra": ""}, nodes[0].Labels); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]state.Taint{{Key: "kept", Effect: "NoExecute"}, taints[0]}, nodes[0].Taints); diff != "" {
			t.Error(diff)
		}
		if _, err := r.LabelNode(t.Context(), "infra-9", labels, nil); !fault.Is(err, fault.NotFound) {
			t.Errorf("a node that is not there: %v", err)
		}
	})
}

func TestTaintsThatOthersAddMeanwhileStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.put(t, "nodes", "", named("infra-0"))
		changes := 0
		r.before = func(q *http.Request) {
			if q.Method == http.MethodPatch && changes == 0 {
				changes++
				r.change(t, "nodes", "", "infra-0", "spec.taints", []any{map[string]any{"key": "other", "effect": "NoExecute"}})
			}
		}
		wanted := state.Taint{Key: "node-role.kubernetes.io/infra", Effect: "NoSchedule"}
		if _, err := r.LabelNode(t.Context(), "infra-0", nil, []state.Taint{wanted}); err != nil {
			t.Fatal(err)
		}
		nodes, err := r.Nodes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]state.Taint{{Key: "other", Effect: "NoExecute"}, wanted}, nodes[0].Taints); diff != "" {
			t.Error(diff)
		}
	})
}

func TestARequestThatChangesMeanwhileIsLookedAtAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		expected := []state.ExpectedNode{{Name: "worker-0", Created: time.Now()}}
		r.askFirst(t, "csr-a", "worker-0")
		r.before = func(q *http.Request) {
			if q.Method == http.MethodPut {
				r.change(t, "certificatesigningrequests.certificates.k8s.io", "", "csr-a", "metadata.labels", map[string]any{"changed": "yes"})
			}
		}
		if got, err := r.ApproveCSRs(t.Context(), expected); err != nil || len(got) != 1 || got[0].Decision != state.Left {
			t.Errorf("%+v, %v", got, err)
		}
		r.before = nil
		if got, err := r.ApproveCSRs(t.Context(), expected); err != nil || len(got) != 1 || got[0].Decision != state.Approved {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestIngressIsPlacedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		place := func(proxy bool) (state.Action, error) {
			return r.PlaceIngress(t.Context(), "node-role.kubernetes.io/infra", 3, proxy)
		}
		if _, err := place(true); !fault.Is(err, fault.Transient) {
			t.Errorf("before there is a controller: %v", err)
		}
		const resource, namespace = "ingresscontrollers.operator.openshift.io", "openshift-ingress-operator"
		controller := with(named("default"), "spec.httpErrorCodePages", "kept")
		controller.Set("spec.nodePlacement.nodeSelector.matchLabels", map[string]any{"node-role.kubernetes.io/worker": ""})
		r.put(t, resource, namespace, controller)
		for _, step := range []struct {
			proxy bool
			want  state.Action
		}{{true, state.Updated}, {true, state.Found}, {false, state.Updated}, {false, state.Found}} {
			if got, err := place(step.proxy); err != nil || got != step.want {
				t.Errorf("proxy protocol %v: %q, %v, want %q", step.proxy, got, err, step.want)
			}
		}
		placed, _ := r.objects.Get(resource, namespace, "default")
		want := map[string]any{
			"httpErrorCodePages": "kept",
			"replicas":           float64(3),
			"nodePlacement": map[string]any{
				"nodeSelector": map[string]any{"matchLabels": map[string]any{"node-role.kubernetes.io/infra": ""}},
				"tolerations":  []any{map[string]any{"key": "node-role.kubernetes.io/infra", "operator": "Exists"}},
			},
			"endpointPublishingStrategy": map[string]any{"type": "HostNetwork", "hostNetwork": map[string]any{"protocol": "TCP"}},
		}
		if diff := cmp.Diff(want, placed.Map("spec")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestVersionNamesUnstableOperators(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		version := with(named("version"), "status.desired", map[string]any{"version": "4.20.5"})
		r.put(t, "clusterversions.config.openshift.io", "", with(version, "status.conditions", conditions(
			[3]string{"Available", "False", ""}, [3]string{"Progressing", "True", "Working towards 4.20.5: 713 of 903 done"},
			[3]string{"Failing", "False", ""})))
		for name, states := range map[string][3]string{
			"etcd": {"True", "False", "False"}, "ingress": {"True", "True", "False"},
			"console": {"False", "False", "False"}, "dns": {"True", "False", "True"},
		} {
			r.put(t, "clusteroperators.config.openshift.io", "", with(named(name), "status.conditions", conditions(
				[3]string{"Available", states[0], ""}, [3]string{"Progressing", states[1], ""}, [3]string{"Degraded", states[2], ""})))
		}
		r.put(t, "clusteroperators.config.openshift.io", "", named("authentication"))
		want := state.VersionStatus{
			Version: "4.20.5", Progressing: true, Message: "Working towards 4.20.5: 713 of 903 done", Total: 5,
			Unstable: []string{"authentication", "console", "dns", "ingress"},
		}
		got, err := r.Version(t.Context())
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	})
}

func TestTheConsoleHasAnAddressOnceItsRouteIsAdmitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		expect := func(want string) {
			t.Helper()
			if got, err := r.ConsoleURL(t.Context()); err != nil || got != want {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
		}
		expect("")
		const host = "console-openshift-console.apps.c1.example.net"
		ingress := func(admitted string) []any {
			return []any{map[string]any{"host": host, "conditions": conditions([3]string{"Admitted", admitted, ""})}}
		}
		r.put(t, "routes.route.openshift.io", "openshift-console", with(named("console"), "status.ingress", ingress("False")))
		expect("")
		r.change(t, "routes.route.openshift.io", "openshift-console", "console", "status.ingress", ingress("True"))
		expect("https://" + host)
	})
}

// ask files a request with the API, as a kubelet would.
func (r *rehearsal) ask(t *testing.T, name, signer, user string, groups []any, template x509.CertificateRequest, usage string) {
	t.Helper()
	key, err := certificate.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &template, key)
	if err != nil {
		t.Fatal(err)
	}
	request := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
	r.put(t, "certificatesigningrequests.certificates.k8s.io", "", with(named(name), "spec", map[string]any{
		"request": request, "signerName": signer, "username": user, "groups": groups, "usages": []any{"digital signature", usage},
	}))
}

func (r *rehearsal) askFirst(t *testing.T, name, node string) {
	r.ask(t, name, "kubernetes.io/kube-apiserver-client-kubelet",
		"system:serviceaccount:openshift-machine-config-operator:node-bootstrapper",
		[]any{"system:serviceaccounts", "system:serviceaccounts:openshift-machine-config-operator", "system:authenticated"},
		x509.CertificateRequest{Subject: nodeSubject(node)}, "client auth")
}

func (r *rehearsal) askServing(t *testing.T, name, node, address string) {
	r.ask(t, name, "kubernetes.io/kubelet-serving", "system:node:"+node, []any{"system:nodes", "system:authenticated"},
		x509.CertificateRequest{Subject: nodeSubject(node), DNSNames: []string{node}, IPAddresses: []net.IP{net.ParseIP(address)}}, "server auth")
}

func nodeSubject(node string) pkix.Name {
	return pkix.Name{CommonName: "system:node:" + node, Organization: []string{"system:nodes"}}
}

func TestRequestsOfExpectedNodesAreApprovedAndOthersShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		created := time.Now().Add(-5 * time.Minute)
		expected := []state.ExpectedNode{
			{Name: "worker-0", Addresses: []string{"198.51.100.10"}, Created: created},
			{Name: "worker-1", Addresses: []string{"198.51.100.11"}, Created: created},
		}
		r.put(t, "nodes", "", named("worker-1"))
		r.askFirst(t, "csr-a", "worker-0")
		r.askServing(t, "csr-b", "worker-1", "198.51.100.11")
		r.askFirst(t, "csr-c", "intruder")
		got, err := r.ApproveCSRs(t.Context(), expected)
		want := []state.CSRDecision{
			{Name: "csr-a", Node: "worker-0", Decision: state.Approved, Reason: "client certificate"},
			{Name: "csr-b", Node: "worker-1", Decision: state.Approved, Reason: "serving certificate"},
			{Name: "csr-c", Node: "intruder", Decision: state.Left, Reason: "this installation has no node of that name"},
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("%v\n%s", err, diff)
		}
		again, err := r.ApproveCSRs(t.Context(), expected)
		if diff := cmp.Diff(want[2:], again); err != nil || diff != "" {
			t.Errorf("what was decided is not decided again: %v\n%s", err, diff)
		}
		for _, csr := range r.objects.List("certificatesigningrequests.certificates.k8s.io", "") {
			for _, condition := range csr.List("status.conditions") {
				if condition.Text("type") != "Approved" || condition.Text("status") != "True" || csr.Name() == "csr-c" {
					t.Errorf("%s got the condition %v", csr.Name(), condition)
				}
			}
		}
	})
}

func TestTheEndOfTheContextIsNoFailureOfTheAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		stopped := errors.New("stopped by the operator")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(stopped)
		if _, err := r.Nodes(ctx); !errors.Is(err, stopped) {
			t.Errorf("got %v", err)
		}
	})
}

func TestCredentialsOfAnotherClusterAreDenied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		mine, _, _ := strings.Cut(r.kubeconfig, "users:")
		_, theirs, _ := strings.Cut(r.makeKubeconfig(t, authority(t)), "users:")
		r.kubeconfig = mine + "users:" + theirs
		if _, err := r.Nodes(t.Context()); !fault.Is(err, fault.Denied) || fault.HintOf(err) == "" {
			t.Errorf("got %v", err)
		}
	})
}
