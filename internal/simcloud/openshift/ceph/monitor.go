package ceph

import (
	"slices"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

const (
	usualMonTimeout = 600 * time.Second
	monCounter      = "ceph mons" // the record of the last letter
)

// mon is a monitor by its Deployment.
type mon struct{ name, node string }

func (m mon) deployment() string { return monApp + "-" + m.name }

// reconcileMons keeps three monitors, each on a node of its own. One that is out of quorum for too long fails over to a node without one,
// and is removed once the new one is in quorum.
func (o operator) reconcileMons(wanted kube.Object) error {
	mons := o.listMons()
	if len(mons) < poolSize {
		return o.createMon(mons)
	}
	quorum := listMonitors(o.Cluster).quorum
	for _, one := range mons {
		if slices.Contains(quorum, one.name) {
			o.hasLasted("mon/"+one.name, "in quorum", 0)
			continue
		}
		if len(mons) > poolSize {
			if len(quorum) >= poolSize {
				return remove(o.Cluster, cluster.DeploymentResource, Namespace, one.deployment())
			}
			continue
		}
		if o.isFailed(one, wanted) {
			return o.createMon(mons)
		}
	}
	return nil
}

// isFailed: a mon that cannot be scheduled is waited for twice as long, and one whose node is gone not at all.
func (o operator) isFailed(one mon, wanted kube.Object) bool {
	if _, exists := o.Objects.Get(cluster.NodeResource, "", one.node); !exists {
		return true
	}
	limit := parseDuration(wanted.GetString("spec.healthCheck.daemonHealth.mon.timeout"), usualMonTimeout)
	for _, pod := range o.Objects.List(cluster.PodResource, Namespace) {
		if name, _ := pod.Label("mon"); name == one.name && pod.GetString("spec.nodeName") == "" {
			limit *= 2
		}
	}
	return o.hasLasted("mon/"+one.name, "out of quorum", limit)
}

func (o operator) listMons() (mons []mon) {
	for _, deployment := range o.Objects.List(cluster.DeploymentResource, Namespace) {
		if app, _ := deployment.Label("app"); app == monApp {
			name, _ := deployment.Label("mon")
			node, _ := kube.Object(deployment.Map("spec.template.spec.nodeSelector"))["kubernetes.io/hostname"].(string)
			mons = append(mons, mon{name, node})
		}
	}
	return mons
}

func (o operator) createMon(mons []mon) error {
	for _, node := range listStorageNodes(o.Cluster) {
		if slices.ContainsFunc(mons, func(m mon) bool { return m.node == node.Name() }) {
			continue
		}
		last, _ := o.StateRecords.Get(monCounter)
		name := "a"
		if last.State != "" {
			name = string(last.State[0] + 1)
		}
		if err := o.StateRecords.Put(monCounter, cluster.StateRecord{What: monCounter, State: name, Since: o.Clock.Now()}); err != nil {
			return err
		}
		made := newDeployment(Namespace, monApp, kube.Object{"mon": name, "ceph_daemon_id": name}, node.Name(), cephImage)
		made.Set("metadata.name", mon{name: name}.deployment())
		return ensure(o.Cluster, cluster.DeploymentResource, made)
	}
	return errNoNode
}
