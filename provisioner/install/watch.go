package install

import (
	"context"
	"errors"
	"fmt"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

// How often the cluster is looked at, and how long each part of it may take. Slow disks and networks make
// installations exceed openshift-install's own limits and complete all the same, so these are more patient.
const (
	pollEtcd    = 5 * time.Second
	pollCluster = 10 * time.Second
	limitAPI    = 30 * time.Minute
	limitMaster = 45 * time.Minute
	limitNodes  = 60 * time.Minute
)

type body = func(context.Context, provisioner.Report) error

func (i *Installation) until(every, limit time.Duration, look func(context.Context, provisioner.Report) error) body {
	return func(ctx context.Context, report provisioner.Report) error {
		check := func(ctx context.Context) error { return look(ctx, report) }
		return provisioner.Until(i.world.Clock, every, limit, check)(ctx, report)
	}
}

// temporaryAPI waits for the API on the bootstrap machine, through the load balancers.
func (i *Installation) temporaryAPI() body {
	return i.until(pollCluster, limitAPI, func(ctx context.Context, report provisioner.Report) error {
		return i.bootstrapReaches(ctx, report, state.PhaseTemporaryAPI)
	})
}

func (i *Installation) bootstrapComplete() body {
	return i.until(pollCluster, limitMaster, func(ctx context.Context, report provisioner.Report) error {
		return i.bootstrapReaches(ctx, report, state.PhaseComplete)
	})
}

func (i *Installation) bootstrapReaches(ctx context.Context, report provisioner.Report, phase string) error {
	status, err := i.world.Cluster.Bootstrap(ctx)
	if err != nil {
		return err
	}
	for _, reached := range status.Reached {
		i.tellBootstrap(report, reached, "")
	}
	if !status.Has(phase) {
		return errors.New(status.Waiting)
	}
	return nil
}

// tellBootstrap reports a phase of the bootstrap once.
func (i *Installation) tellBootstrap(report provisioner.Report, phase, text string) {
	if i.changed("bootstrap/"+phase, "reached") {
		report(provisioner.Event{Type: provisioner.TypeBootstrap, Phase: phase, Text: text})
	}
}

// changed notes what was seen of something and tells whether it is new.
func (i *Installation) changed(what, seen string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.seen[what] == seen {
		return false
	}
	i.seen[what] = seen
	return true
}

// etcd waits until the members stand on the masters alone: 1, 2, 3, 4, 3.
func (i *Installation) etcd() body {
	return i.until(pollEtcd, limitMaster, func(ctx context.Context, report provisioner.Report) error {
		status, err := i.world.Cluster.Etcd(ctx)
		if err != nil {
			return err
		}
		i.tellEtcd(report, status)
		if status.BootstrapRemoved {
			return nil
		}
		return i.etcdLacks(status)
	})
}

// etcdLacks says how far etcd is, with what its operator says beyond the number.
func (i *Installation) etcdLacks(status state.EtcdStatus) error {
	count := len(status.Members)
	sentence := fmt.Sprintf("etcd has %d of %d members", count, i.spec.Sizing.ControlPlane.Count+1)
	if status.Message != "" && status.Message != fmt.Sprintf("%d members are available", count) {
		sentence += ": " + status.Message
	}
	return errors.New(sentence)
}

func (i *Installation) tellEtcd(report provisioner.Report, status state.EtcdStatus) {
	if len(status.Members) == 0 || !i.changed("etcd", fmt.Sprint(status.Members)) {
		return
	}
	members := make([]provisioner.Member, len(status.Members))
	for n, member := range status.Members {
		members[n] = provisioner.Member(member)
	}
	count := len(members)
	report(provisioner.Event{Type: provisioner.TypeEtcd, Members: members, Count: &count, Text: status.Message})
}
