package openshift

import (
	"strings"
	"testing"
	"time"

	"exoshift/internal/simcloud/openshift/apiclient"
)

func TestPodNetwork_OverlapUnreachable(t *testing.T) {
	long(t)
	for name, networks := range map[string]string{
		"pods":     "{clusterNetwork: [{cidr: 198.18.0.0/29, hostPrefix: 32}], serviceNetwork: [172.30.0.0/16]}",
		"services": "{serviceNetwork: [198.18.0.0/29]}",
	} {
		t.Run(name, func(t *testing.T) { // the load balancer's address is in it, no machine's is
			inLabOf(t, plan{config: configSource + "networking: " + networks + "\n"}, func(t *testing.T, l *lab) {
				l.bootCluster(3, 0)
				l.until(30*time.Minute, "masters", func() bool { return len(l.get(apiclient.NodesPath).List("items")) == 3 })
				l.until(10*time.Minute, "silent masters", func() bool {
					return l.get(apiclient.NodesPath+"/master-0").Condition("Ready").GetString("status") == "Unknown"
				})
				_ = l.clock.Sleep(l.ctx, 10*time.Minute)
				if l.ready() != 0 || l.etcdMessage() != "1 members are available" || !strings.Contains(l.consoles(), "error updating node status") {
					t.Errorf("%d nodes are ready, etcd: %q\n%s", l.ready(), l.etcdMessage(), l.consoles())
				}
			})
		})
	}
}
