package diagnosis

import (
	"fmt"
	"strings"
	"time"

	"exoshift/state/recovery"
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

// unhealthyRule is about a cluster that runs, and is to do without one of its masters.
func unhealthyRule() Rule {
	return Rule{
		ID:          "member-unhealthy",
		Cause:       "A member of etcd does not answer, so no other master is taken out of the cluster: etcd would lose its quorum.",
		Fix:         "If it does not come back by itself, replace its master first:\nexoshift nodes replace {subject}",
		Confidence:  High,
		Disposition: Wait,
		Waits:       "a master that restarts has its member back after some minutes",
		HoldFor:     time.Minute,
		detect:      detectUnhealthyMember,
	}
}

func detectUnhealthyMember(m *inputIndex) (found detection) {
	for _, name := range m.Unhealthy {
		found.subject = []string{name}
		found.evidence = append(found.evidence, "the member of etcd on "+name+" does not answer")
	}
	return found
}

// QuorumLost is the rule about an etcd without a quorum.
const QuorumLost = "quorum-lost"

// quorumRule is about a cluster that runs: without a quorum there is no API, and what is known is from the masters themselves.
func quorumRule() Rule {
	return Rule{
		ID:    QuorumLost,
		Cause: "etcd has lost its quorum, as most of its members are gone: the cluster has no API until it is recovered.",
		Fix: "Recover it from the member that is left, which loses nothing that was written to it; only if no master has its data any more, from a " +
			"backup:\nexoshift recover etcd --from-member {subject} --dry-run\nexoshift backup list; exoshift recover etcd --from latest --dry-run",
		Confidence:  High,
		Disposition: Wait,
		Waits:       "the recovery that reports it is what mends it",
		detect:      detectLostQuorum,
	}
}

func detectLostQuorum(m *inputIndex) (found detection) {
	gone, best := 0, recovery.Host{}
	var evidence []string
	for _, host := range m.Members {
		switch {
		case host.Leader, !host.IsKnown() && !host.IsOff():
			return detection{}
		case host.IsDead(), !host.Running:
			gone++
		case host.Index >= best.Index:
			best = host
		}
		evidence = append(evidence, describeMember(host))
	}
	if 2*gone <= len(m.Members) || best.Name == "" {
		return detection{}
	}
	return detection{evidence: evidence, subject: []string{best.Name}}
}

func describeMember(host recovery.Host) string {
	if !host.IsKnown() {
		return host.Name + ": " + host.Failure
	}
	return fmt.Sprintf("%s: %s, its log ends at %d", host.Name, host.State(), host.Index)
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
