package openshift

import (
	"strings"
	"testing"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/scenario"
)

// inTrouble runs a test in a lab whose cluster has faults.
func inLabWithFaults(t *testing.T, faults scenario.Cluster, test func(*testing.T, *lab)) {
	t.Helper()
	inLabOf(t, plan{faults: faults}, test)
}

// complete boots a cluster and waits for the end of its bootstrap.
func (l *lab) complete(masters, infra int) {
	l.t.Helper()
	l.bootCluster(masters, infra)
	l.until(80*time.Minute, "bootstrap complete", func() bool { return l.bootstrapStatus() == "complete" })
}

func (l *lab) operator(name, kind string) kube.Object {
	return l.get("/apis/config.openshift.io/v1/clusteroperators/" + name).Condition(kind)
}

func TestFault_SlowMachinesProgress(t *testing.T) {
	long(t)
	inLabWithFaults(t, scenario.Cluster{Slowness: 4}, func(t *testing.T, l *lab) {
		began := l.clock.Now()
		l.bootCluster(3, 0)
		l.until(30*time.Minute, "temporary API", func() bool { return l.get("/version") != nil })
		if took := l.clock.Now().Sub(began); took < 15*time.Minute {
			t.Errorf("the temporary API answered after %s", took)
		}
		l.until(120*time.Minute, "bootstrap complete", func() bool { return l.bootstrapStatus() == "complete" })
		if took := l.clock.Now().Sub(began); took < time.Hour {
			t.Errorf("the bootstrap was complete after %s", took)
		}
	})
}

func TestFault_SlowDisksCostLeaders(t *testing.T) {
	long(t)
	inLabWithFaults(t, scenario.Cluster{SlowDisks: true}, func(t *testing.T, l *lab) {
		l.complete(3, 2)
		degraded := func() kube.Object {
			return l.get(apiclient.OperatorPath + "etcds/cluster").Condition("FSyncControllerDegraded")
		}
		if got := degraded().GetString("status"); got != "False" {
			t.Errorf("nobody has measured yet, and the disks are reported: %q", got)
		}
		silent := 0
		l.until(30*time.Minute, "degraded etcd", func() bool {
			l.approve()
			if !l.responds() {
				silent++
			}
			return degraded().GetString("status") == "True"
		})
		if got := degraded().GetString("message"); !strings.Contains(got, "fsync duration value: 3.5") {
			t.Errorf("message: %q", got)
		}
		l.until(time.Minute, "degraded operator", func() bool { return l.operator("etcd", "Degraded").GetString("status") == "True" })
		if silent == 0 {
			t.Error("the API was never away")
		}
	})
}

// responds reports whether the API has a leader.
func (l *lab) responds() bool {
	_, err := l.api.Get(l.ctx, "/readyz")
	return err == nil
}

func TestFault_BrokenMemberKeepsBootstrap(t *testing.T) {
	long(t)
	inLabWithFaults(t, scenario.Cluster{MemberBreaks: true}, func(t *testing.T, l *lab) {
		l.complete(3, 0)
		const want = "3 of 4 members are available, master-2 is unhealthy"
		l.until(time.Minute, "a broken member", func() bool { return l.etcdMessage() == want })
		l.restart()
		_ = l.clock.Sleep(l.ctx, 15*time.Minute)
		if l.etcdIs("EtcdBootstrapMemberRemoved") || l.etcdMessage() != want {
			t.Errorf("etcd: %q", l.etcdMessage())
		}
	})
}

func TestFault_ForeignEtcdData(t *testing.T) {
	long(t)
	inLabWithFaults(t, scenario.Cluster{LeftoverData: true}, func(t *testing.T, l *lab) {
		l.bootCluster(3, 0)
		l.until(60*time.Minute, "a member that does not start", func() bool {
			return strings.Contains(l.etcdMessage(), "3 of 4 members are available, NAME-PENDING-")
		})
		_ = l.clock.Sleep(l.ctx, 30*time.Minute)
		if l.etcdIs("EtcdRunningInCluster") || !strings.Contains(l.etcdMessage(), "has not started") {
			t.Errorf("etcd: %q", l.etcdMessage())
		}
	})
}

func TestFault_MonitoringMemory(t *testing.T) {
	long(t)
	inLabWithFaults(t, scenario.Cluster{SmallNodes: true}, func(t *testing.T, l *lab) {
		l.complete(3, 2)
		l.until(40*time.Minute, "a version that waits for nothing else", func() bool {
			l.approve()
			return strings.HasSuffix(l.get(versionPath).Condition("Progressing").GetString("message"), ", waiting on monitoring")
		})
		_ = l.clock.Sleep(l.ctx, 10*time.Minute)
		if got := l.operator("monitoring", "Available").GetString("message"); l.installed() || !strings.Contains(got, "2 Insufficient memory") {
			t.Errorf("monitoring: %q", got)
		}
	})
}
