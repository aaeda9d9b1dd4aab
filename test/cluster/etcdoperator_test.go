package cluster

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"

	operatorv1 "github.com/openshift/api/operator/v1"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// tell writes what etcd's members really are into the operator's resource, in the words of the cluster-etcd-operator.
func (s *story) tell(t *testing.T, r *ring) {
	t.Helper()
	members, err := r.list(t)
	must(t, err)
	var troubles []string
	var nodes []operatorv1.NodeStatus
	whole, bootstrap := true, false
	for _, m := range members {
		trouble := r.trouble(t, m)
		if trouble != "" {
			troubles = append(troubles, trouble)
		}
		if m.Name == bootstrapMember {
			bootstrap = true
			continue
		}
		whole = whole && trouble == "" && !m.IsLearner
		if m.Name != "" {
			nodes = append(nodes, operatorv1.NodeStatus{NodeName: m.Name, CurrentRevision: int32(len(r.members))})
		}
	}
	message := available(len(members), troubles)
	said := []operatorv1.OperatorCondition{
		condition("EtcdMembersAvailable", true, "EtcdQuorate", message),
		condition("EtcdMembersDegraded", len(troubles) > 0, "UnhealthyMembers", message),
	}
	s.reportEtcd(t, nodes, append(said, bootstrapConditions(bootstrap, whole && len(members) >= 4)...)...)
	s.publish(t, members)
}

// bootstrapConditions say whether etcd could do without the member of the bootstrap machine, and whether it does.
func bootstrapConditions(present, enough bool) []operatorv1.OperatorCondition {
	switch {
	case !present:
		return []operatorv1.OperatorCondition{
			condition("EtcdRunningInCluster", true, "BootstrapAlreadyRemoved", "etcd-bootstrap member is already removed"),
			condition("EtcdBootstrapMemberRemoved", true, "BootstrapMemberRemoved", "etcd bootstrap member is removed"),
		}
	case enough:
		return []operatorv1.OperatorCondition{condition("EtcdRunningInCluster", true, "EnoughEtcdMembers", "enough members found")}
	}
	return []operatorv1.OperatorCondition{
		condition("EtcdRunningInCluster", false, "NotEnoughEtcdMembers", "still waiting for three healthy etcd members"),
	}
}

func available(members int, troubles []string) string {
	if len(troubles) > 0 {
		return fmt.Sprintf("%d of %d members are available, %s", members-len(troubles), members, strings.Join(troubles, ", "))
	}
	return fmt.Sprintf("%d members are available", members)
}

// trouble says what the operator says of a member that is not available. One that has not started has no name yet.
func (r *ring) trouble(t *testing.T, m *etcdserverpb.Member) string {
	t.Helper()
	switch {
	case m.Name == "":
		return "NAME-PENDING-" + host(t, m) + " has not started"
	case !r.healthy(t, m):
		return m.Name + " is unhealthy"
	}
	return ""
}

func host(t *testing.T, m *etcdserverpb.Member) string {
	t.Helper()
	peer, err := url.Parse(m.PeerURLs[0])
	must(t, err)
	return peer.Hostname()
}

// publish writes the addresses of the voters on masters into the config map etcd-endpoints, by the IDs of the members.
func (s *story) publish(t *testing.T, members []*etcdserverpb.Member) {
	t.Helper()
	endpoints := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "etcd-endpoints"}, Data: map[string]string{}}
	for _, m := range members {
		if !m.IsLearner && m.Name != bootstrapMember && m.Name != "" {
			endpoints.Data[fmt.Sprintf("%x", m.ID)] = host(t, m)
		}
	}
	maps := s.typed.CoreV1().ConfigMaps("openshift-etcd")
	_, err := maps.Update(t.Context(), endpoints, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		_, err = maps.Create(t.Context(), endpoints, metav1.CreateOptions{})
	}
	must(t, err)
}

// grow adds a member to etcd, as the operator does, and calls tell after each step of it.
func (s *story) grow(t *testing.T, r *ring, name string, tell func(stage string)) {
	t.Helper()
	m := r.add(t, name)
	s.happen(t, "openshift-etcd-operator", "", "MemberAddAsLearner", "successfully added new member "+m.peer)
	tell("added")
	r.join(t, m)
	tell("joined")
	r.promote(t, m)
	s.happen(t, "openshift-etcd-operator", "", "MemberPromote", "successfully promoted learner member "+m.peer)
	tell("promoted")
}

// registerMaster makes the node of a master that has the address of a member of etcd.
func (s *story) registerMaster(t *testing.T, name, address string) {
	t.Helper()
	node, err := s.typed.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{"node-role.kubernetes.io/master": "", "node-role.kubernetes.io/control-plane": ""},
	}}, metav1.CreateOptions{})
	must(t, err)
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: net.ParseIP(address).String()}}
	_, err = s.typed.CoreV1().Nodes().UpdateStatus(t.Context(), node, metav1.UpdateOptions{})
	must(t, err)
}
