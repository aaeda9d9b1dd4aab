package diagnosis

import (
	"cmp"
	"fmt"
	"time"
)

// NodeRules are about nodes that are being removed from a cluster that runs.
func NodeRules() []Rule {
	return []Rule{{
		ID:          "pdb-blocks",
		Cause:       "A disruption budget permits no eviction now, so the node cannot be drained.",
		Fix:         "Make room for the application, by more replicas or nodes, or have its owner give up the budget meanwhile:\noc get pdb,pods -n {subject} -o wide",
		Confidence:  High,
		Disposition: Wait,
		Waits:       "the eviction is asked for again until --timeout, and the owner of the application can make room meanwhile",
		HoldFor:     time.Minute,
		detect:      detectStrictBudget,
	}, {
		ID:          "drain-kills-router",
		Cause:       "Other routers are not ready, so the eviction of this one would leave the applications with too few.",
		Fix:         "See why the others are not ready:\noc get pods -n openshift-ingress -o wide; oc describe ingresscontroller -n openshift-ingress-operator",
		Confidence:  High,
		Disposition: Wait,
		Waits:       "a router that has moved takes a while to start, and the drain goes on once it is ready",
		HoldFor:     time.Minute,
		detect:      detectLastRouter,
	}, {
		ID:          "machine-config-lags",
		Cause:       "Nodes do not have the machine configuration of their pool yet, so no other node of the cluster is drained.",
		Fix:         "Wait until they have it. If nothing changes, see what their machine config daemons say:\noc get machineconfigpools,nodes; oc -n openshift-machine-config-operator logs -l k8s-app=machine-config-daemon -c machine-config-daemon --tail=20",
		Confidence:  High,
		Disposition: Wait,
		Waits:       "the machine config operator updates the nodes by itself",
		HoldFor:     time.Minute,
		detect:      detectLaggingConfigs,
	}, {
		ID:          "ceph-degraded",
		Cause:       "Ceph is not well, so nothing is taken away from it: some data has fewer copies than it should have.",
		Fix:         "See which OSDs are down, and why:\noc -n syn-rook-ceph-cluster exec deploy/rook-ceph-tools -- ceph health detail; oc -n syn-rook-ceph-cluster get pods -o wide",
		Confidence:  High,
		Disposition: Wait,
		Waits:       "Ceph makes the copies again once its OSDs are back, or has taken them out",
		HoldFor:     time.Minute,
		detect:      detectDegradedCeph,
	}, {
		ID:          "pool-evicts-wrong",
		Cause:       "An instance pool did something else than to destroy the one machine that it was asked to evict, so nothing more is asked of it.",
		Fix:         "See what the pool has done, and end what is begun by the command of each node that nodes list names:\nexo compute instance-pool show {subject} --zone {zone}; exoshift nodes list",
		Confidence:  High,
		Disposition: Stop,
		detect:      detectWrongEviction,
	}, unhealthyRule(), quorumRule()}
}

func detectDegradedCeph(m *inputIndex) detection { return detection{evidence: m.Ceph} }

// NewOfNodes returns an Evaluator for the rules about nodes alone.
func NewOfNodes() *Evaluator {
	return &Evaluator{rules: NodeRules(), candidates: map[string]*candidate{}}
}

func detectStrictBudget(m *inputIndex) detection { return detectHeld(m, false) }

func detectLastRouter(m *inputIndex) detection { return detectHeld(m, true) }

func detectHeld(m *inputIndex, router bool) (found detection) {
	for _, pod := range m.Held {
		if pod.Router != router {
			continue
		}
		found.evidence = append(found.evidence, fmt.Sprintf("%s of %s on %s: %s", pod.ID(), cmp.Or(pod.Owner, "nobody"), pod.Node, pod.Reason))
		if len(found.subject) == 0 {
			found.subject = []string{pod.Namespace}
		}
	}
	return found
}

func detectLaggingConfigs(m *inputIndex) (found detection) {
	for _, node := range m.Lagging {
		found.evidence = append(found.evidence, fmt.Sprintf("%s has %s, not %s: its machine config daemon is in the state %s", node.Name, node.Config, node.DesiredConfig, node.ConfigState))
	}
	return found
}

func detectWrongEviction(m *inputIndex) (found detection) {
	for _, one := range m.Evicted {
		found.subject = append(found.subject, one.Pool)
		if len(one.Lost) > 0 {
			found.evidence = append(found.evidence, fmt.Sprintf("%s was asked to evict %s, and destroyed %s", one.Pool, one.Asked, joinLimited(one.Lost)))
		}
		if len(one.Extra) > 0 {
			found.evidence = append(found.evidence, fmt.Sprintf("%s was asked to evict %s, and made %s in its place", one.Pool, one.Asked, joinLimited(one.Extra)))
		}
		if len(one.Lost)+len(one.Extra) == 0 {
			found.evidence = append(found.evidence, fmt.Sprintf("%s was asked to evict %s, and still has it", one.Pool, one.Asked))
		}
	}
	return found
}
