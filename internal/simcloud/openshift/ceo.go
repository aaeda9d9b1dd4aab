package openshift

import (
	"context"
	"fmt"
	"time"

	"exoshift/internal/simcloud/kube"
)

// How the number of members changes. Each number is to last long enough to be seen.
const (
	learnerTime  = 60 * time.Second // until a learner has caught up
	memberPause  = 95 * time.Second // between two changes of the number
	etcdOperator = "etcd-operator"
	etcdEvents   = "openshift-etcd-operator"
)

// etcd is the etcd operator: it reports the members, adds one at a time, and removes that of the bootstrap host.
func (k *controllers) etcd(ctx context.Context, seen view) error {
	if len(seen.etcd.members) == 0 {
		return nil
	}
	if err := k.reportEtcd(seen); err != nil {
		return err
	}
	if err := k.etcdEndpoints(seen); err != nil {
		return err
	}
	pause := k.held("etcd members", fmt.Sprint(len(seen.etcd.members)), memberPause)
	if learner, ok := seen.etcd.learner(); ok {
		return k.promote(ctx, learner)
	}
	switch {
	case !pause:
		return nil
	case k.mayRemoveBootstrap(seen):
		return k.removeBootstrap(seen)
	case len(seen.etcd.troubles) == 0 && seen.homeless == "":
		return k.grow(seen)
	}
	return nil
}

// promote makes a learner vote once it has caught up and every peer reaches it.
func (k *controllers) promote(ctx context.Context, learner member) error {
	alive := k.isAlive(learner.Name)
	if !k.held("learner/"+learner.Name, truth(alive), k.catchUp(learner.Name)) || !alive {
		return nil
	}
	if err := k.reachedByPeers(ctx, learner); err != nil {
		return err
	}
	if err := k.changeMember(learner.Name, func(m *member) { m.Learner = false }); err != nil {
		return err
	}
	return k.report(etcdEvents, etcdOperator, "MemberPromote", "successfully promoted learner member https://"+hostPort(learner.Address, peerPort))
}

// grow adds the first master whose etcd pod runs and that is no member yet.
func (k *controllers) grow(seen view) error {
	for _, master := range seen.masters {
		pod, ok := seen.pods["openshift-etcd/etcd-"+master.Name()]
		if !ok || pod.Text("status.phase") != "Running" || seen.etcd.has(master.Name()) {
			continue
		}
		address := addressOf(master)
		if _, err := k.addMember(master.Name(), address); err != nil {
			return err
		}
		return k.report(etcdEvents, etcdOperator, "MemberAddAsLearner", "successfully added new member https://"+hostPort(address, peerPort))
	}
	return nil
}

func addressOf(node kube.Object) string {
	for _, address := range node.List("status.addresses") {
		if address.Text("type") == "InternalIP" {
			return address.Text("address")
		}
	}
	return ""
}

// standsAlone tells whether etcd would be whole without the bootstrap member: all others vote and are healthy, and
// with it there are at least four; two for a cluster of one master.
func (k *controllers) standsAlone(status etcdStatus) bool {
	enough := 4
	if k.record().Replicas < 3 {
		enough = 2
	}
	if !status.has(bootstrapMember) {
		enough--
	}
	for _, m := range status.members {
		if m.Name != bootstrapMember && (m.Learner || !m.Started || !k.isAlive(m.Name)) {
			return false
		}
	}
	return len(status.members) >= enough
}

func (k *controllers) mayRemoveBootstrap(seen view) bool {
	return seen.bootstrapped && k.held("bootstrapped", "", 20*time.Second) && seen.etcd.has(bootstrapMember) && k.standsAlone(seen.etcd)
}

func (k *controllers) removeBootstrap(seen view) error {
	if err := k.report(etcdEvents, etcdOperator, "Removing bootstrap member", "attempting to remove bootstrap member"); err != nil {
		return err
	}
	if err := k.members.Delete(bootstrapMember); err != nil {
		return err
	}
	seen.etcd = k.etcdStatus()
	if err := k.reportEtcd(seen); err != nil {
		return err
	}
	return k.report(etcdEvents, etcdOperator, "Bootstrap member removed", "successfully removed bootstrap member")
}

// reportEtcd writes the conditions of section 3.4.
func (k *controllers) reportEtcd(seen view) error {
	status := seen.etcd
	_, err := k.objects.Change(etcdResource, "", "cluster", func(o kube.Object) error {
		set := func(kind string, yes bool, yesReason, noReason, message string) {
			reason := noReason
			if yes {
				reason = yesReason
			}
			setCondition(o, k.now(), kind, truth(yes), reason, message)
		}
		starting := false
		for _, m := range status.members {
			starting = starting || !m.Started
		}
		set("EtcdMembersAvailable", true, "EtcdQuorate", "NoQuorum", status.message())
		set("EtcdMembersDegraded", len(status.troubles) > 0, "UnhealthyMembers", "AsExpected", status.message())
		set("EtcdMembersProgressing", starting, "MembersNotStarted", "AsExpected", status.message())
		set("BootstrapTeardownDegraded", false, "Error", "AsExpected", "")
		set("EtcdEndpointsDegraded", len(status.voters()) == 0, "ErrorUpdatingEtcdEndpoints", "AsExpected", noMembers(status))
		k.reportRunning(o, status)
		k.reportHealth(o, seen)
		return nil
	})
	return err
}

func noMembers(status etcdStatus) string {
	if len(status.voters()) > 0 {
		return ""
	}
	return "no etcd members are present"
}

func (k *controllers) reportRunning(o kube.Object, status etcdStatus) {
	const running, removed = "EtcdRunningInCluster", "EtcdBootstrapMemberRemoved"
	switch {
	case !status.has(bootstrapMember):
		setCondition(o, k.now(), running, "True", "BootstrapAlreadyRemoved", "etcd-bootstrap member is already removed")
		setCondition(o, k.now(), removed, "True", "BootstrapMemberRemoved", "etcd bootstrap member is removed")
	case k.standsAlone(status):
		setCondition(o, k.now(), running, "True", "EnoughEtcdMembers", "enough members found")
	case condition(o, running).Text("status") != "True":
		setCondition(o, k.now(), running, "False", "NotEnoughEtcdMembers", "still waiting for three healthy etcd members")
	}
}

// etcdEndpoints publishes the voting members on masters, and where the bootstrap member is, or was.
func (k *controllers) etcdEndpoints(seen view) error {
	data := kube.Object{}
	for _, m := range seen.etcd.voters() {
		data[m.ID] = m.Address
	}
	const present, past = "alpha.installer.openshift.io/etcd-bootstrap", "alpha.installer.openshift.io/etcd-bootstrap-"
	bootstrap, exists := k.members.Get(bootstrapMember)
	endpoints := kube.Object{"metadata": kube.Object{"name": "etcd-endpoints", "annotations": kube.Object{present: bootstrap.Address}}, "data": data}
	return k.objects.Ensure(mapResource, "openshift-etcd", endpoints, func(o kube.Object) error {
		o.Set("data", data)
		annotations := o.Map("metadata.annotations")
		if address, ok := annotations[present]; ok && !exists {
			annotations[past] = address
			delete(annotations, present)
		}
		return nil
	})
}
