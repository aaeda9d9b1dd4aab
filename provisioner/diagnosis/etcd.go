package diagnosis

import (
	"strings"
	"time"
)

func buildEtcdRules() []Rule {
	return []Rule{{
		ID:    "etcd-slow-disk",
		Cause: "The disks of the masters are too slow for etcd: it loses its leader, and the operators flap.",
		Fix: "Choose a sizing.controlPlane.type with at least 4 CPUs and 16 GiB, and dedicated hypervisors (exoscale.deployTarget) if others " +
			"slow the disks down:\nexoshift destroy --dir {folder}\nThen install again.",
		Confidence:  High,
		Disposition: Wait,
		Waits:       "many an installation ends well in spite of it: the load of the disks is the greatest while it runs",
		Blocks:      Operators,
		HoldFor:     time.Minute,
		detect:      detectSlowDisks,
	}}
}

func detectSlowDisks(m *inputIndex) detection {
	var evidence []string
	for _, complaint := range m.Snapshot.Etcd.Degraded {
		if strings.HasPrefix(complaint, "FSyncControllerDegraded") {
			evidence = append(evidence, complaint)
		}
	}
	return detection{evidence: evidence}
}
