package openshift

import (
	"slices"
	"testing"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
)

func TestEtcd_RevisionsRollOut(t *testing.T) {
	long(t)
	inLab(t, func(t *testing.T, l *lab) {
		l.bootCluster(3, 0)
		var latest []int
		apart := 0
		l.until(60*time.Minute, "bootstrap complete", func() bool {
			etcd := l.get(apiclient.OperatorPath + "etcds/cluster")
			revision := etcd.GetInt("status.latestAvailableRevision")
			if len(latest) == 0 || latest[len(latest)-1] != revision {
				latest = append(latest, revision)
			}
			behind := 0
			for _, node := range etcd.List("status.nodeStatuses") {
				if current := node.GetInt("currentRevision"); current > 0 && current < revision {
					behind++
				}
			}
			apart = max(apart, behind)
			return l.bootstrapStatus() == "complete"
		})
		if latest = slices.DeleteFunc(latest, func(r int) bool { return r == 0 }); !slices.IsSorted(latest) || len(latest) < 3 || latest[len(latest)-1] != 4 {
			t.Errorf("revisions: %v", latest)
		}
		if apart == 0 {
			t.Error("no node was ever at an earlier revision")
		}
		l.until(3*time.Minute, "all nodes at the last revision", func() bool {
			etcd := l.get(apiclient.OperatorPath + "etcds/cluster")
			return !slices.ContainsFunc(etcd.List("status.nodeStatuses"), func(node kube.Object) bool { return node["currentRevision"] != 4.0 })
		})
	})
}
