package openshift

import (
	"fmt"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/etcd"
)

const versionPath = "/apis/config.openshift.io/v1/clusterversions/version"

// count is a number of etcd members and how long it lasted.
type count struct {
	members int
	lasted  time.Duration
}

type counter struct {
	counts []count
	since  time.Time
}

func (c *counter) record(l *lab) {
	message := l.etcdMessage()
	var available, total int
	if n, _ := fmt.Sscanf(message, "%d of %d members", &available, &total); n != 2 {
		if n, _ := fmt.Sscanf(message, "%d members", &total); n != 1 {
			return
		}
	}
	now := l.clock.Now()
	if len(c.counts) == 0 || c.counts[len(c.counts)-1].members != total {
		c.counts, c.since = append(c.counts, count{members: total}), now
	}
	c.counts[len(c.counts)-1].lasted = now.Sub(c.since)
}

func (c *counter) check(t *testing.T) {
	t.Helper()
	var numbers []int
	for _, count := range c.counts {
		numbers = append(numbers, count.members)
		if count.lasted < 75*time.Second {
			t.Errorf("%d members lasted %s only", count.members, count.lasted)
		}
	}
	if diff := cmp.Diff([]int{1, 2, 3, 4, 3}, numbers); diff != "" {
		t.Errorf("numbers of etcd members: %s", diff)
	}
}

// inLab runs a test in a synctest bubble, with virtual time.
func inLab(t *testing.T, test func(*testing.T, *lab)) { inLabOf(t, plan{}, test) }

func inLabOf(t *testing.T, plan plan, test func(*testing.T, *lab)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, network.Clock{}, plan)
		defer func() { l.close() }()
		test(t, l)
	})
}

func (l *lab) ready() int {
	ready := 0
	for _, node := range l.get(apiclient.NodesPath).List("items") {
		if node.Condition("Ready").GetString("status") == "True" {
			ready++
		}
	}
	return ready
}

func (l *lab) bootstrapStatus() string {
	return l.get("/api/v1/namespaces/kube-system/configmaps/bootstrap").GetString("data.status")
}

func (l *lab) etcdIs(kind string) bool {
	return l.get(apiclient.OperatorPath+"etcds/cluster").Condition(kind).GetString("status") == "True"
}

func (l *lab) installed() bool {
	return l.get(versionPath).Condition("Available").GetString("status") == "True"
}

// install installs three masters and four other nodes; between is called at every poll.
func (l *lab) install(between func()) {
	l.t.Helper()
	l.bootCluster(3, 4)
	began := l.clock.Now()
	for _, stage := range []struct {
		what    string
		reached func() bool
	}{
		{"temporary API", func() bool { return l.get("/version") != nil }},
		{"bootstrap complete", func() bool { return l.bootstrapStatus() == "complete" }},
		{"bootstrap member removed", func() bool { return l.etcdIs("EtcdBootstrapMemberRemoved") }},
		{"all nodes ready", func() bool {
			l.remove("bootstrap")
			l.approve()
			return l.ready() == 7
		}},
		{"cluster version", l.installed},
	} {
		l.until(40*time.Minute, stage.what, func() bool {
			between()
			return stage.reached()
		})
		l.t.Logf("%8s %s", l.clock.Now().Sub(began).Round(time.Second), stage.what)
	}
}

func TestInstallation_OperatorsAvailable(t *testing.T) {
	long(t)
	inLab(t, func(t *testing.T, l *lab) {
		var etcd counter
		l.install(func() { etcd.record(l) })
		etcd.check(t)
		operators := l.get("/apis/config.openshift.io/v1/clusteroperators").List("items")
		for _, operator := range operators {
			if operator.Condition("Available").GetString("status") != "True" || operator.Condition("Progressing").GetString("status") != "False" {
				t.Errorf("operator %s: %v", operator.Name(), operator.Get("status.conditions"))
			}
		}
		if len(operators) != 33 {
			t.Errorf("%d operators", len(operators))
		}
		console := l.get("/apis/route.openshift.io/v1/namespaces/openshift-console/routes/console")
		if got := kube.Object(console.List("status.ingress")[0]).GetString("host"); got != "console-openshift-console.apps."+domain {
			t.Errorf("console at %q", got)
		}
		var servers []string
		for _, endpoint := range l.get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes").List("endpoints") {
			servers = append(servers, endpoint.GetStrings("addresses")...)
		}
		if diff := cmp.Diff([]string{"198.18.0.11", "198.18.0.12", "198.18.0.13"}, servers); diff != "" {
			t.Errorf("API servers: %s", diff)
		}
	})
}

func TestInstallation_SurvivesRestarts(t *testing.T) {
	long(t)
	inLab(t, func(t *testing.T, l *lab) {
		var etcd counter
		last := l.clock.Now()
		l.install(func() {
			if l.clock.Now().Sub(last) > 4*time.Minute {
				l.restart()
				last = l.clock.Now()
			}
			etcd.record(l)
		})
		etcd.check(t)
		for _, request := range l.get(apiclient.CSRPath).List("items") {
			if request.GetString("status.certificate") == "" {
				t.Errorf("%s was left behind: %v", request.Name(), request.Get("spec.username"))
			}
		}
	})
}

func TestInstallation_MissingMasterEtcdOfThree(t *testing.T) {
	long(t)
	inLab(t, func(t *testing.T, l *lab) {
		l.bootCluster(2, 0)
		l.until(40*time.Minute, "three members", func() bool { return l.etcdMessage() == "3 members are available" })
		l.until(20*time.Minute, "bootstrap-finished", func() bool { return l.get("/api/v1/namespaces/kube-system/events/bootstrap-finished") != nil })
		_ = l.clock.Sleep(l.ctx, 15*time.Minute)
		if l.etcdMessage() != "3 members are available" || l.etcdIs("EtcdRunningInCluster") || l.bootstrapStatus() != "" {
			t.Errorf("etcd: %q, bootstrap: %q", l.etcdMessage(), l.bootstrapStatus())
		}
	})
}

func TestInstallation_EarlyBootstrapDeletion(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.bootCluster(3, 0)
		l.until(40*time.Minute, "second member", func() bool { return l.etcdMessage() == "2 members are available" })
		l.remove("bootstrap")
		_ = l.clock.Sleep(l.ctx, 10*time.Minute)
		if object, err := l.api.Get(l.ctx, apiclient.NodesPath); err == nil {
			t.Errorf("the API still answers: %v", object)
		}
	})
}

func TestInstallation_BlockedEtcdPeers(t *testing.T) {
	long(t)
	inLab(t, func(t *testing.T, l *lab) {
		l.shut(etcd.PeerPort, true)
		l.bootCluster(3, 0)
		// Whichever master is ready first.
		pending := regexp.MustCompile(`^1 of 2 members are available, NAME-PENDING-198\.18\.0\.1[123] has not started$`)
		var message string
		l.until(40*time.Minute, "a member that has not started", func() bool {
			message = l.etcdMessage()
			return pending.MatchString(message)
		})
		_ = l.clock.Sleep(l.ctx, 10*time.Minute)
		if got := l.etcdMessage(); got != message {
			t.Errorf("etcd: %q, not %q", got, message)
		}
		l.shut(etcd.PeerPort, false)
		l.until(40*time.Minute, "bootstrap complete", func() bool { return l.bootstrapStatus() == "complete" })
	})
}

func TestInstallation_BlockedMachineConfigServer(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.shut(cluster.MachineConfigPort, true)
		l.bootCluster(3, 0)
		_ = l.clock.Sleep(l.ctx, 15*time.Minute)
		if nodes := l.get(apiclient.NodesPath); nodes == nil || len(nodes.List("items")) != 0 {
			t.Errorf("nodes: %v", nodes)
		}
		l.shut(cluster.MachineConfigPort, false)
		l.until(20*time.Minute, "masters", func() bool { return l.ready() == 3 })
	})
}

func TestInstallation_WorkersNeedApproval(t *testing.T) {
	long(t)
	inLab(t, func(t *testing.T, l *lab) {
		l.bootCluster(3, 2)
		l.until(60*time.Minute, "bootstrap member removed", func() bool { return l.etcdIs("EtcdBootstrapMemberRemoved") })
		_ = l.clock.Sleep(l.ctx, 25*time.Minute)
		if got := l.ready(); got != 3 {
			t.Errorf("%d nodes are ready, want the masters only", got)
		}
		pending := map[string]int{}
		for _, request := range l.get(apiclient.CSRPath).List("items") {
			if len(request.List("status.conditions")) == 0 {
				pending[request.GetString("spec.username")]++
			}
		}
		// Two machines that repeat their request every 15 minutes.
		if pending[cluster.NodeBootstrapper] < 4 || len(pending) != 1 {
			t.Errorf("pending requests: %v", pending)
		}
		message := l.get(versionPath).Condition("Progressing").GetString("message")
		if l.installed() || message == "" {
			t.Errorf("cluster version: %q", message)
		}
		l.until(30*time.Minute, "workers", func() bool {
			l.approve()
			return l.ready() == 5
		})
	})
}
