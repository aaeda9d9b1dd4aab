package diagnosis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/state"
)

func buildOperatorRules() []Rule {
	return []Rule{{
		ID:    "machine-config-mismatch",
		Cause: "The cluster renders other machine configurations from the manifests than the bootstrap machine did.",
		Fix: "Find the machine configurations that differ, correct your manifests, then destroy the cluster and install it again:\n" +
			"oc get machineconfigs --sort-by=.metadata.creationTimestamp",
		Confidence:  High,
		Disposition: Stop,
		Blocks:      ControlPlane,
		Within:      leavingBootstrap,
		HoldFor:     2 * time.Minute,
		detect:      detectConfigMismatch,
	}, {
		ID:          "no-cloud-controller",
		Cause:       "No cloud controller initializes the nodes, and almost nothing runs on uninitialized nodes.",
		Fix:         formatControllerFix("exoscale-cloud-controller-manager"),
		Confidence:  High,
		Disposition: Wait,
		Waits:       "once the controller runs, or has a key that is valid, it takes care of the nodes at once, and the installation goes on",
		Blocks:      ControlPlane,
		HoldFor:     6 * time.Minute,
		detect:      detectUninitializedNodes,
	}, {
		ID:    "routers-on-masters",
		Cause: "Routers run on masters, to which the load balancers do not forward.",
		Fix: "Keep the masters free, and find out who placed the routers there, such as a repository that manages the same ingress controller:\n" +
			"oc patch schedulers.config.openshift.io cluster --type merge -p '{\"spec\":{\"mastersSchedulable\":false}}' && oc -n openshift-ingress-operator get ingresscontroller default -o yaml --show-managed-fields",
		Confidence:  High,
		Disposition: Repair,
		Restores:    RouterParts,
		Blocks:      Operators,
		HoldFor:     3 * time.Minute,
		detect:      detectRoutersOnMasters,
	}}
}

func detectConfigMismatch(m *inputIndex) detection {
	var evidence []string
	for _, pool := range m.Snapshot.Pools {
		if pool.Degraded && strings.Contains(pool.Message, "rendered-") && strings.Contains(pool.Message, "not found") {
			evidence = append(evidence, fmt.Sprintf("pool %s is degraded: %s", pool.Name, pool.Message))
		}
	}
	return detection{evidence: evidence}
}

const uninitialized = "node.cloudprovider.kubernetes.io/uninitialized"

// With Project Syn, the catalog installs the controller in another namespace.
func formatControllerFix(namespace string) string {
	return fmt.Sprintf("Find out why it does not run, or does not reach the API or Exoscale:\n"+
		"oc -n %[1]s get pods,events; oc -n %[1]s logs deployment/exoscale-cloud-controller-manager --tail=20", namespace)
}

// detectUninitializedNodes holds while every node is uninitialized, or one for much longer than the controller needs.
func detectUninitializedNodes(m *inputIndex) detection {
	const tooLong = 15 * time.Minute
	if m.Spec.OpenShift.CloudControllerManager != "External" {
		return detection{}
	}
	var untouched, old []string
	for _, node := range m.Snapshot.Nodes {
		if !slices.ContainsFunc(node.Taints, func(taint state.Taint) bool { return taint.Key == uninitialized }) {
			continue
		}
		line := fmt.Sprintf("node %s has the taint %s since %s", node.Name, uninitialized, node.Created.UTC().Format("15:04 UTC"))
		untouched = append(untouched, line)
		if !node.Created.IsZero() && m.Now.Sub(node.Created) >= tooLong {
			old = append(old, line)
		}
	}
	found := detection{evidence: old}
	if len(untouched) == len(m.Snapshot.Nodes) {
		found.evidence = untouched
	}
	if syn := m.Spec.Syn; syn.LieutenantURL != "" || syn.CatalogDir != "" {
		found.fix = formatControllerFix("syn-exoscale-cloud-controller-manager")
	}
	return found
}

// detectRoutersOnMasters holds when the load balancers, or the ingress's name, do not lead to masters. The installation keeps the
// masters of such a cluster free, so that somebody has changed that since.
func detectRoutersOnMasters(m *inputIndex) detection {
	compute := len(m.wanted) - m.Spec.Sizing.ControlPlane.Count
	if !m.Snapshot.MastersSchedulable || compute == 0 {
		return detection{}
	}
	var misplaced []string
	for _, node := range m.Snapshot.Routers {
		if m.isMaster(node) {
			misplaced = append(misplaced, node)
		}
	}
	if len(misplaced) == 0 {
		return detection{}
	}
	return detection{subject: misplaced, objects: []string{"routers on " + joinLimited(misplaced)}, changed: true, evidence: []string{
		"routers run on " + joinLimited(misplaced), "the scheduler's configuration says mastersSchedulable: true",
	}}
}
