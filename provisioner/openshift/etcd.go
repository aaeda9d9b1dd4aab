package openshift

import (
	"context"
	"net/netip"
	"strings"

	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
)

// Etcd looks at etcd's members. There are as many as the operator counts; none before it has counted.
func (c *Cluster) Etcd(ctx context.Context) (state.EtcdStatus, error) {
	api, err := c.connect(ctx)
	if err != nil {
		return state.EtcdStatus{}, err
	}
	etcd, _, err := read[operator](ctx, api, etcds, "cluster")
	if err != nil {
		return state.EtcdStatus{}, err
	}
	reported := etcd.Status.Conditions
	status := state.EtcdStatus{
		InCluster:        reported.is(runningInCluster),
		BootstrapRemoved: reported.is(bootstrapMemberRemoved),
		Message:          reported.find(membersAvailable).Message,
	}
	counted, known := parseMembership(status.Message)
	if !known {
		return status, nil
	}
	clues, err := api.etcdClues(ctx, etcd)
	if err != nil {
		return status, err
	}
	status.Members = clues.members(counted, status.BootstrapRemoved)
	return status, nil
}

// etcdClues gathers what tells the members' names and states.
func (a *api) etcdClues(ctx context.Context, etcd operator) (etcdClues, error) {
	clues := etcdClues{nodeOf: map[string]string{}, voting: map[string]bool{}, added: map[string]bool{}}
	masters, err := list[corev1.Node](ctx, a, nodes, masterSelector)
	if err != nil {
		return clues, err
	}
	for _, node := range masters {
		clues.know(node.Name)
		for _, address := range node.Status.Addresses {
			clues.nodeOf[address.Address] = node.Name
		}
	}
	for _, node := range etcd.Status.NodeStatuses {
		clues.know(node.NodeName)
	}
	endpoints, _, err := read[corev1.ConfigMap](ctx, a, etcdConfig, "etcd-endpoints")
	if err != nil {
		return clues, err
	}
	// The keys are member IDs or node names, so only the values tell.
	for _, address := range endpoints.Data {
		clues.voting[clues.node(address)] = true
	}
	if len(clues.voting) == len(clues.names) {
		return clues, nil
	}
	return clues, a.etcdHistory(ctx, clues)
}

// etcdHistory adds what the operator's events tell: "successfully added new member https://192.0.2.1:2380",
// "successfully promoted learner member https://192.0.2.1:2380".
func (a *api) etcdHistory(ctx context.Context, clues etcdClues) error {
	events, err := list[corev1.Event](ctx, a, etcdEvents, "")
	for _, event := range events {
		node := clues.node(peerIn(event.Message))
		switch {
		case node == "" || !strings.HasPrefix(event.Message, "successfully "):
		case event.Reason == "MemberAddAsLearner":
			clues.added[node] = true
		case event.Reason == "MemberPromote":
			clues.added[node], clues.voting[node] = true, true
		}
	}
	return err
}

// peerIn returns the address or the node name that an event speaks of.
func peerIn(message string) string {
	for word := range strings.FieldsSeq(message) {
		word = strings.Trim(word, `"',.`)
		host, found := strings.CutPrefix(word, "https://")
		if !found {
			continue
		}
		if address, err := netip.ParseAddrPort(host); err == nil {
			return address.Addr().String()
		}
		return strings.TrimSuffix(host, ":2380")
	}
	return ""
}
