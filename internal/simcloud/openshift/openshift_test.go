package openshift

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/kube"
)

const versionPath = "/apis/config.openshift.io/v1/clusterversions/version"

// count is a number of etcd members and how long it lasted.
type count struct {
	members int
	lasted  time.Duration
}

// counter follows the number of etcd members.
type counter struct {
	counts []count
	since  time.Time
}

func (c *counter) look(l *lab) {
	items := l.etcdMessage()
	var available, total int
	if n, _ := fmt.Sscanf(items, "%d of %d members", &available, &total); n != 2 {
		if n, _ := fmt.Sscanf(items, "%d members", &total); n != 1 {
			return
		}
	}
	now := l.clock.Now()
	if len(c.counts) == 0 || c.counts[len(c.counts)-1].members != total {
		c.counts, c.since = append(c.counts, count{members: total}), now
	}
	c.counts[len(c.counts)-1].lasted = now.Sub(c.since)
}

func (c *counter) numbers() []int {
	var numbers []int
	for _, count := range c.counts {
		numbers = append(numbers, count.members)
	}
	return numbers
}

func TestAnInstallationInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, network.Clock{})
		defer l.close()
		began := time.Now()
		mark := func(what string) { t.Logf("%8s %s", time.Since(began).Round(time.Second), what) }
		l.bootCluster(3, 4)
		var etcd counter
		l.until(20*time.Minute, "temporary API", func() bool { return l.get("/readyz") != nil || l.get("/version") != nil })
		mark("temporary API")
		l.until(30*time.Minute, "bootstrap complete", func() bool {
			etcd.look(l)
			return l.get("/api/v1/namespaces/kube-system/configmaps/bootstrap").Text("data.status") == "complete"
		})
		mark("bootstrap complete")
		l.until(10*time.Minute, "member removed", func() bool {
			etcd.look(l)
			return condition(l.get(operatorPath+"etcds/cluster"), "EtcdBootstrapMemberRemoved").Text("status") == "True"
		})
		mark("bootstrap member removed")
		l.remove("bootstrap")
		nodes := func() (ready int) {
			for _, node := range l.get(nodesPath).List("items") {
				if condition(node, "Ready").Text("status") == "True" {
					ready++
				}
			}
			return ready
		}
		l.until(20*time.Minute, "all nodes ready", func() bool {
			etcd.look(l)
			l.approve()
			return nodes() == 7
		})
		mark("all nodes ready")
		l.until(30*time.Minute, "cluster version", func() bool {
			l.approve()
			etcd.look(l)
			return condition(l.get(versionPath), "Available").Text("status") == "True"
		})
		mark("cluster version available")
		if diff := cmp.Diff([]int{1, 2, 3, 4, 3}, etcd.numbers()); diff != "" {
			t.Errorf("numbers of etcd members: %s", diff)
		}
		for _, count := range etcd.counts {
			if count.lasted < 75*time.Second {
				t.Errorf("%d members lasted %s only", count.members, count.lasted)
			}
		}
		for _, operator := range l.get("/apis/config.openshift.io/v1/clusteroperators").List("items") {
			if condition(operator, "Available").Text("status") != "True" || condition(operator, "Progressing").Text("status") != "False" {
				t.Errorf("operator %s: %v", operator.Name(), operator.Get("status.conditions"))
			}
		}
		console := l.get("/apis/route.openshift.io/v1/namespaces/openshift-console/routes/console")
		if got := kube.Object(console.List("status.ingress")[0]).Text("host"); got != "console-openshift-console.apps."+domain {
			t.Errorf("console at %q", got)
		}
	})
}
