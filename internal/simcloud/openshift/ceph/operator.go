package ceph

import (
	"context"
	"errors"
	"fmt"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/container"
)

const (
	operatorInterval = 15 * time.Second
	daemonInterval   = 20 * time.Second
	// statusInterval is how often the operator reports the health of Ceph.
	statusInterval = time.Minute
)

// Run is the programs of Rook and Ceph: the operator, and daemons, whose work is done whenever somebody looks.
func Run(ctx context.Context, c container.Container) error {
	c.Running()
	app, _ := c.Pod.Label("app")
	work, every := func() error { return change(c.Cluster, func(*storage) error { return nil }) }, daemonInterval
	switch app {
	case operatorApp:
		work, every = func() error { return runOperator(c) }, operatorInterval
	case osdApp:
	default:
		<-ctx.Done()
		return ctx.Err()
	}
	last := ""
	for ctx.Err() == nil {
		if c.Cluster.Members.CheckQuorum() == nil {
			if err := work(); err != nil && err.Error() != last {
				last = err.Error()
				c.Machine.Console("%s: %v", app, err)
			}
		}
		_ = c.Cluster.Clock.Sleep(ctx, every)
	}
	return ctx.Err()
}

// runOperator does nothing once its pod was deleted, though the kubelet ends it a little later.
func runOperator(c container.Container) error {
	pod, exists := c.Cluster.Objects.Get(cluster.PodResource, c.Pod.Namespace(), c.Pod.Name())
	if !exists || pod.GetString("metadata.uid") != c.Pod.GetString("metadata.uid") {
		return nil
	}
	return operator{c.Cluster}.reconcile()
}

// operator is Rook's, and what the local storage operator does for it.
type operator struct{ *cluster.Cluster }

func (o operator) reconcile() error {
	wanted, exists := o.Objects.Get(ClusterResource, Namespace, clusterName)
	if !exists {
		return nil
	}
	faults := errors.Join(o.provideVolumes(), o.reconcileMons(wanted), o.reconcileDisks(wanted))
	return errors.Join(faults, o.reconcileBudgets(), o.reportStatus(wanted))
}

// reconcileBudgets: while an OSD is down on a node that is cordoned or silent, no OSD of another host may be evicted.
func (o operator) reconcileBudgets() error {
	down, clean, hosts := map[string]bool{}, false, map[string]bool{}
	err := change(o.Cluster, func(s *storage) error {
		for _, one := range s.OSDs {
			hosts[one.Host] = true
			if !one.Up && !o.isSchedulable(one.Host) {
				down[one.Host] = true
			}
		}
		clean = reporter{s}.countStates()["active+clean"] == len(s.Groups)
		return nil
	})
	if err != nil {
		return err
	}
	selector := func(labels kube.Object) kube.Object { return kube.Object{"matchLabels": labels} }
	faults := ensure(o.Cluster, kube.BudgetResource, newBudget("rook-ceph-mon-pdb", 1, selector(kube.Object{"app": monApp})))
	if len(down) == 0 && clean {
		for host := range hosts {
			faults = errors.Join(faults, remove(o.Cluster, kube.BudgetResource, Namespace, "rook-ceph-osd-host-"+host))
		}
		return errors.Join(faults, ensure(o.Cluster, kube.BudgetResource, newBudget(osdApp, 1, selector(kube.Object{"app": osdApp}))))
	}
	if len(down) == 0 {
		return faults
	}
	for host := range hosts {
		if !down[host] {
			faults = errors.Join(faults, ensure(o.Cluster, kube.BudgetResource, newBudget("rook-ceph-osd-host-"+host, 0, selector(kube.Object{"app": osdApp, "failure-domain": host}))))
		}
	}
	return errors.Join(faults, remove(o.Cluster, kube.BudgetResource, Namespace, osdApp))
}

func newBudget(name string, unavailable int, selector kube.Object) kube.Object {
	made := named("policy/v1", "PodDisruptionBudget", Namespace, name)
	made["spec"] = kube.Object{"maxUnavailable": unavailable, "selector": selector}
	return made
}

func (o operator) isSchedulable(node string) bool {
	for _, one := range listStorageNodes(o.Cluster) {
		if one.Name() == node {
			return true
		}
	}
	return false
}

// reportStatus writes the health of Ceph into the object from time to time.
func (o operator) reportStatus(seen kube.Object) error {
	last, err := time.Parse(time.RFC3339, seen.GetString("status.ceph.lastChecked"))
	if err == nil && o.Clock.Now().Sub(last) < statusInterval {
		return nil
	}
	mons, status := listMonitors(o.Cluster), kube.Object{}
	if err := change(o.Cluster, func(s *storage) error {
		checks, details, used, room := reporter{s}.listChecks(mons), kube.Object{}, 0, 0
		for _, one := range checks {
			details[one.code] = kube.Object{"severity": one.severity, "message": one.message}
		}
		for _, one := range s.OSDs {
			used, room = used+s.usedMiB(one.ID), room+one.MiB
		}
		status = kube.Object{"health": summarize(checks), "lastChecked": o.Timestamp(), "capacity": kube.Object{"bytesTotal": room << 20, "bytesUsed": used << 20}}
		if len(details) > 0 {
			status["details"] = details
		}
		return nil
	}); err != nil {
		return err
	}
	_, err = o.Objects.Update(ClusterResource, Namespace, clusterName, func(object kube.Object) error {
		object.Set("status.phase", "Ready")
		object.Set("status.ceph", status)
		return nil
	})
	return err
}

// hasLasted reports whether something has been so for a time; another state begins anew.
func (o operator) hasLasted(what, state string, atLeast time.Duration) bool {
	now := o.Clock.Now()
	last, known := o.StateRecords.Get(what)
	if !known || last.State != state {
		last = cluster.StateRecord{What: what, State: state, Since: now}
		_ = o.StateRecords.Put(what, last) // asked again soon
	}
	return now.Sub(last.Since) >= atLeast
}

var errNoNode = errors.New("no storage node is ready that has no mon yet")

func parseDuration(text string, usual time.Duration) time.Duration {
	parsed, err := time.ParseDuration(text)
	if err != nil {
		return usual
	}
	return parsed
}

func formatOSD(id int) string { return fmt.Sprintf("%s-%d", osdApp, id) }
