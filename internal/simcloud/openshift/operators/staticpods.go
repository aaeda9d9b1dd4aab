package operators

import (
	"context"
	"errors"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/monitoring"
)

// operand is a part of the control plane that an operator rolls out to the masters as a static pod.
type operand struct {
	resource   string // the operator's own resource, named "cluster"
	namespace  string
	prefix     string // prefix of the pods' names
	app        string
	onlyVoters bool // only where etcd has a voting member
	isParallel bool // on all masters at once; else one after the other
}

const apiServerResource = "kubeapiservers.operator.openshift.io"

func listOperands() []operand {
	return []operand{
		{resource: cluster.EtcdResource, namespace: "openshift-etcd", prefix: "etcd-", app: cluster.EtcdApp, isParallel: true},
		{resource: apiServerResource, namespace: "openshift-kube-apiserver", prefix: "kube-apiserver-", app: cluster.APIServerApp, onlyVoters: true},
		{resource: "kubecontrollermanagers.operator.openshift.io", namespace: "openshift-kube-controller-manager",
			prefix: "kube-controller-manager-", app: "kube-controller-manager"},
		{resource: "kubeschedulers.operator.openshift.io", namespace: "openshift-kube-scheduler", prefix: "openshift-kube-scheduler-", app: "openshift-kube-scheduler"},
	}
}

// installTime is how long an installer pod takes (inferred).
const installTime = 20 * time.Second

// staticPods rolls the control plane out to the masters, as its operators do.
type staticPods struct{ *loop }

func (k staticPods) sync(_ context.Context, seen clusterSnapshot) error {
	for _, operand := range listOperands() {
		if err := k.installOperand(operand, seen); err != nil {
			return err
		}
	}
	return nil
}

func (k staticPods) installOperand(operand operand, seen clusterSnapshot) error {
	var statuses []kube.Object
	busy, latest := false, k.computeRevision(operand, seen)
	for _, master := range seen.masters {
		name := operand.prefix + master.Name()
		pod, installed := seen.pods[operand.namespace+"/"+name]
		status := kube.Object{"nodeName": master.Name(), "currentRevision": 0, "targetRevision": latest}
		switch {
		case installed && pod.IsReady():
			current := k.computeNodeRevision(operand, master.Name(), latest, !busy)
			status = kube.Object{"nodeName": master.Name(), "currentRevision": current}
			if current < latest {
				status["targetRevision"], busy = latest, true
			}
		case installed:
			busy = true
		case (!busy || operand.isParallel) && k.canInstall(operand, master, seen):
			busy = true
			if err := k.Objects.Ensure(cluster.PodResource, operand.namespace, newBoundPod(operand.namespace, name, operand.app, master.Name(), nil), nil); err != nil {
				return err
			}
		}
		statuses = append(statuses, status)
	}
	_, err := k.Objects.Update(operand.resource, "", "cluster", func(o kube.Object) error {
		o.Set("status.nodeStatuses", statuses)
		o.Set("status.latestAvailableRevision", latest)
		o.SetCondition(k.Timestamp(), "StaticPodsAvailable", kube.FormatStatus(len(statuses) > 0 && !busy), "AsExpected", "")
		o.SetCondition(k.Timestamp(), "NodeInstallerProgressing", kube.FormatStatus(busy), "AsExpected", "")
		o.SetCondition(k.Timestamp(), "NodeInstallerDegraded", "False", "AsExpected", "")
		return nil
	})
	return err
}

func (k staticPods) canInstall(operand operand, master kube.Object, seen clusterSnapshot) bool {
	if seen.schedulingError != "" {
		return false
	}
	if operand.onlyVoters {
		voting := false
		for _, m := range seen.etcd.ListVoters() {
			voting = voting || m.Name == master.Name()
		}
		if !voting {
			return false
		}
	}
	return k.hasLasted("install/"+operand.prefix+master.Name(), "", installTime)
}

func countRunning(objects *kube.Objects, resource string) int {
	operator, _ := objects.Get(resource, "", "cluster")
	return CountRunningNodes(operator)
}

// Publish creates what a release's operators act on: their own resources, the pools, and the status of each.
func Publish(c *cluster.Cluster) error {
	for _, operand := range listOperands() {
		operator := kube.NewNamed("cluster")
		operator.Set("spec.managementState", "Managed")
		if err := c.Objects.Ensure(operand.resource, "", operator, nil); err != nil {
			return err
		}
	}
	for _, pool := range []string{"master", "worker"} {
		if err := c.Objects.Ensure(cluster.PoolResource, "", kube.NewNamed(pool), nil); err != nil {
			return err
		}
	}
	for _, operator := range listOperators() {
		if err := c.Objects.Ensure(cluster.OperatorResource, "", kube.NewNamed(operator.name), nil); err != nil {
			return err
		}
	}
	if err := errors.Join(c.PublishAdminAuthority(), c.Objects.Ensure(cluster.AccountResource, monitoring.Namespace, kube.NewNamed(monitoring.User), nil)); err != nil {
		return err
	}
	return c.Objects.Ensure(cluster.VersionResource, "", kube.NewNamed("version"), nil)
}

// CountRunningNodes counts the nodes on which an operator's static pod runs.
func CountRunningNodes(operator kube.Object) int {
	running := 0
	for _, node := range operator.List("status.nodeStatuses") {
		if revision, _ := node.Get("currentRevision").(float64); revision > 0 {
			running++
		}
	}
	return running
}
