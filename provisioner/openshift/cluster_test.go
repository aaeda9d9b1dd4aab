package openshift_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
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
