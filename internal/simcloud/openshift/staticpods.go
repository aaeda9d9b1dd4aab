package openshift

import (
	"context"
	"time"

	"exoshift/internal/simcloud/kube"
)

// operand is a part of the control plane that an operator rolls out to the masters as a static pod.
type operand struct {
	resource  string // the operator's own, named "cluster"
	namespace string
	prefix    string // of the pods' names
	app       string
	onVoters  bool // only where etcd has a voting member
	together  bool // on all masters at once; else one after the other
}

func operands() []operand {
	return []operand{
		{resource: etcdResource, namespace: "openshift-etcd", prefix: "etcd-", app: etcdApp, together: true},
		{resource: "kubeapiservers.operator.openshift.io", namespace: "openshift-kube-apiserver", prefix: "kube-apiserver-", app: apiServerApp, onVoters: true},
		{resource: "kubecontrollermanagers.operator.openshift.io", namespace: "openshift-kube-controller-manager",
			prefix: "kube-controller-manager-", app: "kube-controller-manager"},
		{resource: "kubeschedulers.operator.openshift.io", namespace: "openshift-kube-scheduler", prefix: "openshift-kube-scheduler-", app: "openshift-kube-scheduler"},
	}
}

// installTime is how long an installer pod takes (inferred).
const installTime = 20 * time.Second

func (k *controllers) staticPods(_ context.Context, seen view) error {
	for _, operand := range operands() {
		if err := k.rollOut(operand, seen); err != nil {
			return err
		}
	}
	return nil
}

// rollOut installs an operand on the next master and reports how far it is on each.
func (k *controllers) rollOut(operand operand, seen view) error {
	var statuses []kube.Object
	busy, latest := false, k.revision(operand, seen)
	for _, master := range seen.masters {
		name := operand.prefix + master.Name()
		pod, installed := seen.pods[operand.namespace+"/"+name]
		status := kube.Object{"nodeName": master.Name(), "currentRevision": 0, "targetRevision": latest}
		switch {
		case installed && podReady(pod):
			current := k.revisionOn(operand, master.Name(), latest, !busy)
			status = kube.Object{"nodeName": master.Name(), "currentRevision": current}
			if current < latest {
				status["targetRevision"], busy = latest, true
			}
		case installed:
			busy = true
		case (!busy || operand.together) && k.mayInstall(operand, master, seen):
			busy = true
			if err := k.objects.Ensure(podResource, operand.namespace, place(operand.namespace, name, operand.app, master.Name(), nil), nil); err != nil {
				return err
			}
		}
		statuses = append(statuses, status)
	}
	_, err := k.objects.Change(operand.resource, "", "cluster", func(o kube.Object) error {
		o.Set("status.nodeStatuses", statuses)
		o.Set("status.latestAvailableRevision", latest)
		setCondition(o, k.now(), "StaticPodsAvailable", truth(len(statuses) > 0 && !busy), "AsExpected", "")
		setCondition(o, k.now(), "NodeInstallerProgressing", truth(busy), "AsExpected", "")
		setCondition(o, k.now(), "NodeInstallerDegraded", "False", "AsExpected", "")
		return nil
	})
	return err
}

func (k *controllers) mayInstall(operand operand, master kube.Object, seen view) bool {
	if seen.homeless != "" {
		return false
	}
	if operand.onVoters {
		voting := false
		for _, m := range seen.etcd.voters() {
			voting = voting || m.Name == master.Name()
		}
		if !voting {
			return false
		}
	}
	return k.held("install/"+operand.prefix+master.Name(), "", installTime)
}

// running counts the masters that run an operand.
func (k *controllers) running(resource string) int {
	operator, _ := k.objects.Get(resource, "", "cluster")
	return runningNodes(operator)
}
