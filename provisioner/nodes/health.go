package nodes

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"exoshift/state"
)

// listOngoingRollouts are the operators that restart parts of the control plane, or nodes.
func listRollingOperators() []string {
	return []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "machine-config"}
}

// Poller reads the whole state of a cluster.
type Poller interface {
	Poll(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error)
}

// CheckHealth returns why the cluster must not lose a node now. busy is the number of nodes that are being removed already: they are
// cordoned, and so not ready for their configuration pools.
func CheckHealth(ctx context.Context, cluster Poller, masters, busy int) (seen state.Snapshot, reasons []string, err error) {
	seen, err = cluster.Poll(ctx, netip.Addr{}, nil)
	if err != nil {
		return seen, nil, err
	}
	return seen, ListUnwell(seen, masters, busy), nil
}

// ListUnwell returns why a cluster in this state must not lose a node. busy is as for CheckHealth.
func ListUnwell(seen state.Snapshot, masters, busy int) []string {
	reasons := append(CheckEtcd(seen.Etcd, masters), CheckOperators(seen.Operators)...)
	if seen.Version.Progressing {
		reasons = append(reasons, "an update of the cluster goes on: "+seen.Version.Message)
	}
	for _, pool := range seen.Pools {
		switch {
		case pool.Degraded:
			reasons = append(reasons, fmt.Sprintf("the machine config pool %s is degraded: %s", pool.Name, pool.Message))
		case pool.Machines-min(pool.Updated, pool.Ready) > busy:
			reasons = append(reasons, fmt.Sprintf("of the machine config pool %s, %d of %d machines are updated and %d ready", pool.Name, pool.Updated, pool.Machines, pool.Ready))
		}
	}
	return reasons
}

// listLagging returns the nodes whose configuration is being changed, and which are not known to fail at that.
func listLagging(ctx context.Context, cluster Cluster) ([]state.ClusterNode, error) {
	all, err := cluster.ListClusterNodes(ctx)
	return slices.DeleteFunc(all, func(n state.ClusterNode) bool { return n.Config == n.DesiredConfig || n.ConfigState == "Degraded" }), err
}

// CheckEtcd returns why etcd could not do without a member. masters is how many it is to have.
func CheckEtcd(etcd state.EtcdStatus, masters int) []string {
	var reasons []string
	voters := 0
	for _, member := range etcd.Members {
		if member.State == "voter" {
			voters++
		}
		if member.Revision > 0 && member.Revision != etcd.Revision {
			reasons = append(reasons, fmt.Sprintf("etcd on %s is at revision %d of %d", member.Name, member.Revision, etcd.Revision))
		}
	}
	if voters < masters {
		reasons = append(reasons, fmt.Sprintf("etcd has %d healthy members of %d: %s", voters, masters, etcd.Message))
	}
	return reasons
}

// CheckOperators returns which operators are not well. It names those that have the same trouble together, as dozens may have after an outage.
func CheckOperators(operators []state.OperatorStatus) []string {
	names, order := map[string][]string{}, []string{} // by the trouble
	for _, operator := range operators {
		var trouble string
		switch {
		case !operator.Available, operator.Degraded:
			trouble = operator.State() + ": " + operator.Message
		case operator.Progressing && slices.Contains(listRollingOperators(), operator.Name):
			trouble = "progressing: " + operator.Message
		default:
			continue
		}
		if names[trouble] == nil {
			order = append(order, trouble)
		}
		names[trouble] = append(names[trouble], operator.Name)
	}
	var reasons []string
	for _, trouble := range order {
		if len(names[trouble]) == 1 {
			reasons = append(reasons, fmt.Sprintf("the operator %s is %s", names[trouble][0], trouble))
		} else {
			reasons = append(reasons, fmt.Sprintf("the operators %s are %s", strings.Join(names[trouble], ", "), trouble))
		}
	}
	if len(operators) == 0 {
		reasons = append(reasons, "no operator reports its state")
	}
	return reasons
}

// prependAll returns the reasons with what they are about before each.
func prependAll(prefix string, reasons []string) []string {
	all := make([]string, len(reasons))
	for i, reason := range reasons {
		all[i] = prefix + reason
	}
	return all
}
