package diagnosis

import (
	"fmt"
	"time"
)

// StuckOperator is an operator that is degraded and does not have the release of an update.
type StuckOperator struct {
	Name, Message string
	Since         time.Time // by the cluster's clock
}

// UpgradeRules are about updates of a cluster that runs.
func UpgradeRules() []Rule {
	return []Rule{{
		ID:          "upgrade-stuck-operator",
		Cause:       "An operator is degraded and does not take the release of the update, so the operators behind it wait.",
		Fix:         "See what it reports, and mend that; the update goes on by itself:\noc get clusteroperator {subject} -o yaml",
		Confidence:  High,
		Disposition: Wait,
		Waits:       "the cluster goes on with the update as soon as the operator is well again, until nothing has gone on for 30 minutes",
		HoldFor:     5 * time.Minute,
		detect:      detectStuckOperator,
	}, {
		ID:          "upgrade-pool-degraded",
		Cause:       "A node cannot get the release of the update, so its machine config pool is degraded and the nodes behind it wait.",
		Fix:         "See what its machine config daemon says, and start it anew:\noc -n openshift-machine-config-operator logs -l k8s-app=machine-config-daemon -c machine-config-daemon --tail=20\noc -n openshift-machine-config-operator delete pod -l k8s-app=machine-config-daemon --field-selector spec.nodeName={subject}",
		Confidence:  High,
		Disposition: Wait,
		Waits:       "the machine config operator goes on with the other nodes as soon as this one has the release, until nothing has gone on for 30 minutes",
		HoldFor:     5 * time.Minute,
		detect:      detectDegradedPool,
	}}
}

// NewOfUpgrade returns an Evaluator for the rules about updates alone.
func NewOfUpgrade() *Evaluator {
	return &Evaluator{rules: UpgradeRules(), candidates: map[string]*candidate{}}
}

func detectStuckOperator(m *inputIndex) (found detection) {
	for _, operator := range m.StuckOperators {
		found.subject = append(found.subject, operator.Name)
		found.evidence = append(found.evidence, fmt.Sprintf("%s is degraded since %s: %s", operator.Name, operator.Since.UTC().Format("15:04 MST"), operator.Message))
	}
	return found
}

func detectDegradedPool(m *inputIndex) detection {
	return detection{subject: m.DegradedNodes, evidence: m.DegradedPools}
}
