package openshift_test

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/kube"
	"exoshift/state"
)

func (r *rehearsal) expectPhase(t *testing.T, last, waiting string) {
	t.Helper()
	status := r.observe(t).Bootstrap
	if len(status.Reached) == 0 || status.Reached[len(status.Reached)-1] != last {
		t.Errorf("reached %v, want %s last", status.Reached, last)
	}
	if !strings.Contains(status.Waiting, waiting) || (waiting == "") != (status.Waiting == "") {
		t.Errorf("after %s waiting for %q, want %q", last, status.Waiting, waiting)
	}
}

func (r *rehearsal) bootstrapStatus(t *testing.T) (state.BootstrapStatus, error) {
	t.Helper()
	seen, err := r.Poll(t.Context(), r.bootstrap, r.expected)
	return seen.Bootstrap, err
}

func master(name, address string) kube.Object {
	node := with(named(name), "metadata.labels", map[string]any{"node-role.kubernetes.io/master": "", "kubernetes.io/hostname": name})
	return with(node, "status.addresses", []any{map[string]any{"type": "InternalIP", "address": address}})
}

func revisions(nodes ...string) []any {
	var statuses []any
	for _, node := range nodes {
		statuses = append(statuses, map[string]any{"nodeName": node, "currentRevision": 3})
	}
	return statuses
}

func TestBootstrapStatus_Phases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		status, err := r.bootstrapStatus(t)
		if err != nil || len(status.Reached) != 0 || status.Waiting == "" {
			t.Fatalf("a single answer: %+v, %v", status, err)
		}
		r.expectPhase(t, state.PhaseTemporaryAPI, "cluster version")
		r.put(t, "clusterversions.config.openshift.io", "", named("version"))
		r.expectPhase(t, state.PhaseManifests, "no master has requested")
		r.expected = []state.ExpectedNode{{Name: "master-0", Role: state.RoleMaster}, {Name: "worker-0", Role: state.RoleWorker}}
		r.askFirst(t, "csr-a", "worker-0")
		r.expectPhase(t, state.PhaseManifests, "no master has requested")
		r.askFirst(t, "forged", "master-0") // for a machine with unknown creation time
		r.expectPhase(t, state.PhaseManifests, "no master has requested")
		r.wait(t, time.Second)
		r.expected[0].Created = time.Now()
		r.askFirst(t, "csr-b", "master-0")
		r.expectPhase(t, state.PhaseMastersBoot, "no master has registered")
		r.put(t, "nodes", "", master("master-0", "192.0.2.10"))
		r.expectPhase(t, state.PhaseMasters, "not reported any member")
		r.put(t, "etcds.operator.openshift.io", "", with(named("cluster"), "status.conditions",
			conditions([3]string{"EtcdMembersAvailable", "True", "1 members are available"})))
		r.expectPhase(t, state.PhaseMasters, "1 members are available")
		r.change(t, "etcds.operator.openshift.io", "", "cluster", "status.conditions",
			conditions([3]string{"EtcdMembersAvailable", "True", "2 members are available"}))
		r.expectPhase(t, state.PhaseEtcd, "kube-scheduler on 0")
		for _, component := range []string{"kubeapiservers", "kubecontrollermanagers", "kubeschedulers"} {
			r.put(t, component+".operator.openshift.io", "", with(named("cluster"), "status.nodeStatuses", revisions("master-0", "master-1")))
		}
		r.expectPhase(t, state.PhaseControlPlane, "pods")
		r.put(t, "events", "kube-system", named("bootstrap-success"))
		r.expectPhase(t, state.PhaseBootstrapped, "remaining manifests")
		r.put(t, "events", "kube-system", named("bootstrap-finished"))
		r.expectPhase(t, state.PhaseTeardown, "etcd: still learning: master-0")
		r.change(t, "etcds.operator.openshift.io", "", "cluster", "status.conditions", conditions(
			[3]string{"EtcdMembersAvailable", "True", "4 members are available"}, [3]string{"EtcdRunningInCluster", "True", ""}))
		r.expectPhase(t, state.PhaseEtcdInCluster, "report completion")
		r.put(t, "configmaps", "kube-system", with(named("bootstrap"), "data", map[string]any{"status": "complete"}))
		r.expectPhase(t, state.PhaseComplete, "etcd to remove the bootstrap member:")
		r.change(t, "etcds.operator.openshift.io", "", "cluster", "status.conditions", conditions(
			[3]string{"EtcdMembersAvailable", "True", "3 members are available"}, [3]string{"EtcdBootstrapMemberRemoved", "True", ""}))
		r.expectPhase(t, state.PhaseMemberRemoved, "no node besides the masters")
		r.put(t, "nodes", "", with(named("worker-0"), "status.conditions", conditions([3]string{"Ready", "True", ""})))
		r.expectPhase(t, state.PhaseNodes, "has not reported yet")
		r.report(t, "Working towards 4.20.5: 713 of 903 done (79% complete), waiting on console")
		r.expectPhase(t, state.PhaseNodes, "713 of 903")
		r.installed(t)
		r.operator(t, "console", "TTF")
		r.expectPhase(t, state.PhaseVersion, "1 of 1 operators are not stable: console")
		r.operator(t, "console", "TFF")
		r.expectPhase(t, state.PhaseVersion, "console")
		r.wait(t, 31*time.Second)
		r.expectPhase(t, state.PhaseStable, "")
	})
}

func (r *rehearsal) report(t *testing.T, message string) {
	t.Helper()
	const resource = "clusterversions.config.openshift.io"
	r.change(t, resource, "", "version", "status.desired", map[string]any{"version": "4.20.5"})
	r.change(t, resource, "", "version", "status.conditions", conditions(
		[3]string{"Available", "False", ""}, [3]string{"Progressing", "True", message}, [3]string{"Failing", "False", ""}))
}

func (r *rehearsal) installed(t *testing.T) {
	t.Helper()
	r.change(t, "clusterversions.config.openshift.io", "", "version", "status.conditions", conditions(
		[3]string{"Available", "True", "Done applying 4.20.5"}, [3]string{"Progressing", "False", ""}, [3]string{"Failing", "False", ""}))
}

func (r *rehearsal) wait(t *testing.T, duration time.Duration) {
	t.Helper()
	if err := r.net.Clock.Sleep(t.Context(), duration); err != nil {
		t.Fatal(err)
	}
}

func TestBootstrapStatus_NeverGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.put(t, "clusterversions.config.openshift.io", "", named("version"))
		_, _ = r.bootstrapStatus(t)
		before, err := r.bootstrapStatus(t)
		if err != nil {
			t.Fatal(err)
		}
		r.unready("etcd is away")
		after, err := r.bootstrapStatus(t)
		if !fault.Is(err, fault.Transient) {
			t.Errorf("an API that is not ready: %v", err)
		}
		if !slices.Equal(before.Reached, after.Reached) || after.Waiting == "" {
			t.Errorf("reached %v, then %v waiting for %q", before.Reached, after.Reached, after.Waiting)
		}
	})
}

func TestBootstrapStatus_IgnoresFlappingAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		for range 3 {
			if status, err := r.bootstrapStatus(t); err != nil || status.Has(state.PhaseTemporaryAPI) {
				t.Fatalf("one answer: %+v, %v", status, err)
			}
			r.unready("restarting")
			if _, err := r.bootstrapStatus(t); err == nil {
				t.Fatal("an API that is not ready answered")
			}
			r.unready("")
		}
	})
}

func TestBootstrapStatus_ResumesWithoutEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.put(t, "clusterversions.config.openshift.io", "", named("version"))
		r.put(t, "nodes", "", master("master-0", "192.0.2.10"))
		r.put(t, "etcds.operator.openshift.io", "", with(named("cluster"), "status.conditions", conditions(
			[3]string{"EtcdMembersAvailable", "True", "3 members are available"}, [3]string{"EtcdBootstrapMemberRemoved", "True", ""})))
		_, _ = r.bootstrapStatus(t)
		status, err := r.bootstrapStatus(t)
		if err != nil || len(status.Reached) == 0 || status.Reached[len(status.Reached)-1] != state.PhaseMemberRemoved {
			t.Errorf("reached %v, %v", status.Reached, err)
		}
	})
}

func TestPoll_ConnectionFailureCauses(t *testing.T) {
	for name, failure := range map[string]struct {
		prepare func(*testing.T, *rehearsal)
		want    string
	}{
		"no such host": {func(_ *testing.T, r *rehearsal) { r.master.Close() }, "no answer in time"},
		"the name": {func(_ *testing.T, r *rehearsal) {
			r.kubeconfig = strings.ReplaceAll(r.kubeconfig, apiName, "api.elsewhere.example.net")
		}, "api.elsewhere.example.net does not resolve"},
		"refused": {func(_ *testing.T, r *rehearsal) {
			r.kubeconfig = strings.ReplaceAll(r.kubeconfig, ":6443", ":6444")
		}, "connection refused"},
		"another cluster": {func(t *testing.T, r *rehearsal) { r.kubeconfig = r.makeKubeconfig(t, authority(t)) }, "TLS: "},
		"another name": {func(_ *testing.T, r *rehearsal) {
			r.kubeconfig = strings.ReplaceAll(r.kubeconfig, apiName, "192.0.2.1")
		}, "TLS: the certificate is for another name"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rehearse(t)
				failure.prepare(t, r)
				status, err := r.bootstrapStatus(t)
				if !fault.Is(err, fault.Transient) || !strings.Contains(err.Error(), failure.want) {
					t.Errorf("got %v, want %q", err, failure.want)
				}
				if len(err.Error()) > 140 || !strings.Contains(status.Waiting, failure.want) {
					t.Errorf("waiting for %q: %v", status.Waiting, err)
				}
				if _, err := r.Nodes(t.Context()); !fault.Is(err, fault.Transient) || !strings.Contains(err.Error(), failure.want) {
					t.Errorf("nodes: %v", err)
				}
			})
		})
	}
}

func TestPoll_WaitsForKubeconfig(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		missing := errors.New("no such file")
		failure := missing
		c := newCluster(r, func() ([]byte, error) { return []byte(r.kubeconfig), failure })
		defer c.Close()
		if _, err := c.Poll(t.Context(), netip.Addr{}, nil); !errors.Is(err, missing) {
			t.Errorf("without a kubeconfig: %v", err)
		}
		failure = nil
		if _, err := c.Poll(t.Context(), netip.Addr{}, nil); err != nil {
			t.Error(err)
		}
	})
}

func TestPoll_NewKubeconfigResetsState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		own := r.kubeconfig
		for range 3 { // flapping at first: a single response does not count
			if _, err := r.bootstrapStatus(t); err != nil {
				t.Fatal(err)
			}
		}
		r.kubeconfig = r.makeKubeconfig(t, authority(t))
		if _, err := r.bootstrapStatus(t); err == nil {
			t.Error("the API of the one cluster was taken for that of the other")
		}
		r.kubeconfig = own
		status, err := r.bootstrapStatus(t)
		if err != nil || status.Has(state.PhaseTemporaryAPI) {
			t.Errorf("%v, %v: what was seen of the one cluster counts for the other", status, err)
		}
	})
}

func TestPoll_RefusesUntrustedKubeconfig(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		authority := r.kubeconfig[strings.Index(r.kubeconfig, "certificate-authority-data"):strings.Index(r.kubeconfig, "}}]")]
		for name, content := range map[string]string{
			"verification turned off":  strings.Replace(r.kubeconfig, authority, "insecure-skip-tls-verify: true", 1),
			"no certificate authority": strings.Replace(r.kubeconfig, ", "+authority, "", 1),
			"plain http":               strings.Replace(r.kubeconfig, "https://", "http://", 1),
			"no client certificate":    strings.Replace(r.kubeconfig, "client-certificate-data", "x", 1),
			"nonsense":                 "{",
		} {
			c := newCluster(r, func() ([]byte, error) { return []byte(content), nil })
			if _, err := c.Poll(t.Context(), netip.Addr{}, nil); !fault.Is(err, fault.Invalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
