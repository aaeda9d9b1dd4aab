package operators

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/etcd"
)

// Durations of changes of the number of members, each long enough to be observed.
const (
	learnerTime   = 60 * time.Second // until a learner has caught up
	memberPause   = 95 * time.Second // between two changes
	etcdComponent = "etcd-operator"
	etcdNamespace = "openshift-etcd"
	etcdEvents    = "openshift-etcd-operator"
)

// etcdOperator adds the masters to etcd, and removes the bootstrap member.
type etcdOperator struct{ *loop }

func (k etcdOperator) sync(ctx context.Context, seen clusterSnapshot) error {
	if len(seen.etcd.Members) == 0 {
		return nil
	}
	if err := k.reportEtcd(seen); err != nil {
		return err
	}
	if err := k.syncEndpoints(seen); err != nil {
		return err
	}
	if err := k.issueCertificates(seen); err != nil {
		return err
	}
	pause := k.hasLasted("etcd members", fmt.Sprint(len(seen.etcd.Members)), memberPause)
	if learner, ok := seen.etcd.FindLearner(); ok {
		return k.promoteLearner(ctx, learner)
	}
	switch {
	case !pause:
		return nil
	case k.canRemoveBootstrap(seen):
		return k.removeBootstrap(seen)
	case len(seen.etcd.Problems) == 0 && seen.schedulingError == "":
		return k.addNextMember(seen)
	}
	return nil
}

// issueCertificates makes the Secrets of a master's member that are missing. It leaves those alone that are there: one of an earlier machine
// of that name has to be deleted by whoever replaces it.
func (k etcdOperator) issueCertificates(seen clusterSnapshot) error {
	for _, node := range seen.nodes {
		address := GetInternalAddress(node)
		if _, master := node.Label("node-role.kubernetes.io/master"); !master || address == "" {
			continue
		}
		for _, name := range etcd.ListSecrets(node.Name()) {
			secret := kube.Object{"type": "kubernetes.io/tls", "data": kube.Object{"tls.crt": "", "tls.key": ""},
				"metadata": kube.Object{"name": name, "annotations": kube.Object{etcd.HostnamesAnnotation: address + ",localhost"}}}
			if err := k.Objects.Ensure(cluster.SecretResource, etcdNamespace, secret, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// promoteLearner promotes a learner that has caught up and is reachable from every peer.
func (k etcdOperator) promoteLearner(ctx context.Context, learner etcd.Member) error {
	alive := k.Members.IsAlive(learner.Name)
	if !k.hasLasted("learner/"+learner.Name, kube.FormatStatus(alive), k.computeCatchUp(learner.Name)) || !alive {
		return nil
	}
	if err := k.Members.CheckPeers(ctx, learner, k.Timeout()); err != nil {
		return err
	}
	if err := k.Members.Update(learner.Name, func(m *etcd.Member) { m.Learner = false }); err != nil {
		return err
	}
	return k.report(etcdEvents, etcdComponent, "MemberPromote", "successfully promoted learner member https://"+formatHostPort(learner.Address, etcd.PeerPort))
}

func (k etcdOperator) addNextMember(seen clusterSnapshot) error {
	if unsafe, err := k.IsUnsafe(len(seen.etcd.ListVoters())); unsafe || err != nil {
		return err
	}
	for _, master := range seen.masters {
		pod, ok := seen.pods["openshift-etcd/etcd-"+master.Name()]
		if !ok || pod.GetString("status.phase") != "Running" || seen.etcd.Has(master.Name()) || !waitsForMembership(pod) {
			continue
		}
		address := GetInternalAddress(master)
		if _, err := k.Members.Add(master.Name(), address); err != nil {
			return err
		}
		return k.report(etcdEvents, etcdComponent, "MemberAddAsLearner", "successfully added new member https://"+formatHostPort(address, etcd.PeerPort))
	}
	return nil
}

// waitsForMembership reports whether the container of a member runs and is not ready: one that crashes is not added, nor one of which the
// API has been restored as it was before.
func waitsForMembership(pod kube.Object) bool {
	for _, status := range pod.List("status.containerStatuses") {
		ready, _ := status["ready"].(bool)
		return status.Map("state.waiting") == nil && !ready
	}
	return true
}

// isCompleteWithoutBootstrap reports whether the bootstrap member can be removed: all others vote and are healthy, and with it
// there are at least four; two for a cluster of one master.
func (k etcdOperator) isCompleteWithoutBootstrap(status etcd.Status) bool {
	enough := 4
	if k.Record().Replicas < 3 {
		enough = 2
	}
	if !status.Has(etcd.BootstrapMember) {
		enough--
	}
	for _, m := range status.Members {
		if m.Name != etcd.BootstrapMember && (m.Learner || !m.Started || !k.Members.IsAlive(m.Name)) {
			return false
		}
	}
	return len(status.Members) >= enough
}

func (k etcdOperator) canRemoveBootstrap(seen clusterSnapshot) bool {
	return seen.bootstrapped && k.hasLasted("bootstrapped", "", 20*time.Second) && seen.etcd.Has(etcd.BootstrapMember) && k.isCompleteWithoutBootstrap(seen.etcd)
}

func (k etcdOperator) removeBootstrap(seen clusterSnapshot) error {
	if err := k.report(etcdEvents, etcdComponent, "Removing bootstrap member", "attempting to remove bootstrap member"); err != nil {
		return err
	}
	if err := k.Members.Delete(etcd.BootstrapMember); err != nil {
		return err
	}
	seen.etcd = k.Members.GetStatus()
	if err := k.reportEtcd(seen); err != nil {
		return err
	}
	return k.report(etcdEvents, etcdComponent, "Bootstrap member removed", "successfully removed bootstrap member")
}

// reportEtcd writes the conditions of section 3.4.
func (k etcdOperator) reportEtcd(seen clusterSnapshot) error {
	status := seen.etcd
	_, err := k.Objects.Update(cluster.EtcdResource, "", "cluster", func(o kube.Object) error {
		set := func(kind string, yes bool, yesReason, noReason, message string) {
			reason := noReason
			if yes {
				reason = yesReason
			}
			o.SetCondition(k.Timestamp(), kind, kube.FormatStatus(yes), reason, message)
		}
		starting := false
		for _, m := range status.Members {
			starting = starting || !m.Started
		}
		set("EtcdMembersAvailable", true, "EtcdQuorate", "NoQuorum", status.FormatMessage())
		set("EtcdMembersDegraded", len(status.Problems) > 0, "UnhealthyMembers", "AsExpected", status.FormatMessage())
		set("EtcdMembersProgressing", starting, "MembersNotStarted", "AsExpected", status.FormatMessage())
		set("BootstrapTeardownDegraded", false, "Error", "AsExpected", "")
		set("EtcdEndpointsDegraded", len(status.ListVoters()) == 0, "ErrorUpdatingEtcdEndpoints", "AsExpected", describeMissingMembers(status))
		k.reportRunning(o, status)
		k.reportHealth(o, seen)
		return nil
	})
	return err
}

func describeMissingMembers(status etcd.Status) string {
	if len(status.ListVoters()) > 0 {
		return ""
	}
	return "no etcd members are present"
}

func (k etcdOperator) reportRunning(o kube.Object, status etcd.Status) {
	const running, removed = "EtcdRunningInCluster", "EtcdBootstrapMemberRemoved"
	switch {
	case !status.Has(etcd.BootstrapMember):
		o.SetCondition(k.Timestamp(), running, "True", "BootstrapAlreadyRemoved", "etcd-bootstrap member is already removed")
		o.SetCondition(k.Timestamp(), removed, "True", "BootstrapMemberRemoved", "etcd bootstrap member is removed")
	case k.isCompleteWithoutBootstrap(status):
		o.SetCondition(k.Timestamp(), running, "True", "EnoughEtcdMembers", "enough members found")
	case o.Condition(running).GetString("status") != "True":
		o.SetCondition(k.Timestamp(), running, "False", "NotEnoughEtcdMembers", "still waiting for three healthy etcd members")
	}
}

// syncEndpoints publishes the voting members on masters, and the address of the bootstrap member, also after its removal.
func (k etcdOperator) syncEndpoints(seen clusterSnapshot) error {
	data := kube.Object{}
	for _, m := range seen.etcd.ListVoters() {
		data[m.ID] = m.Address
	}
	const present, past = "alpha.installer.openshift.io/etcd-bootstrap", "alpha.installer.openshift.io/etcd-bootstrap-"
	bootstrap, exists := k.Members.Get(etcd.BootstrapMember)
	endpoints := kube.Object{"metadata": kube.Object{"name": "etcd-endpoints", "annotations": kube.Object{present: bootstrap.Address}}, "data": data}
	return k.Objects.Ensure(cluster.ConfigMapResource, "openshift-etcd", endpoints, func(o kube.Object) error {
		o.Set("data", data)
		annotations := o.Map("metadata.annotations")
		if address, ok := annotations[present]; ok && !exists {
			annotations[past] = address
			delete(annotations, present)
		}
		return nil
	})
}

func formatHostPort(address string, port uint16) string {
	parsed, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	return netip.AddrPortFrom(parsed, port).String()
}
