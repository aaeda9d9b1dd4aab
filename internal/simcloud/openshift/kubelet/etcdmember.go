package kubelet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/etcd"
	"exoshift/internal/simcloud/openshift/masterhost"
)

// etcdMember is a master's member of etcd.
type etcdMember struct {
	cluster *cluster.Cluster
	machine machine.Machine
	node    string
}

// run runs this master's member of etcd once the operator has added it, again and again: one that was removed or stopped waits until it is
// added or started again. It joins only if it can reach a peer.
func (e etcdMember) run(ctx context.Context, p *pod) error {
	for ctx.Err() == nil {
		if err := e.runOnce(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (e etcdMember) runOnce(ctx context.Context, p *pod) error {
	closePorts, err := etcd.OpenPorts(e.machine)
	if err != nil {
		return err
	}
	defer closePorts()
	shown := ""
	joined := e.cluster.Poll(ctx, 5*time.Second, func(ctx context.Context) bool {
		err := e.join(ctx)
		p.waiting.Store(describeCrash(err))
		if err != nil && err.Error() != shown {
			shown = err.Error()
			e.machine.Console("etcd: %s", shown)
		}
		return err == nil
	})
	if !joined {
		return nil
	}
	p.ready.Store(true)
	e.serve(ctx)
	p.ready.Store(false)
	return nil
}

var errNotMember = errors.New("waiting to be added to the cluster")

func (e etcdMember) join(ctx context.Context) error {
	if err := errors.Join(e.checkDisk(), e.checkStopped()); err != nil {
		return err
	}
	own, ok := e.cluster.Members.Get(e.node)
	if !ok || own.Address != e.machine.Address().String() {
		return errNotMember
	}
	data, _ := e.machine.ReadFile(etcd.DataFile)
	switch {
	case own.Started && string(data) == own.ID:
		return nil
	case own.Started:
		return fmt.Errorf("member %s has already been bootstrapped, and its data is not on this disk", own.ID)
	}
	if err := errors.Join(e.checkLeftoverData(), e.checkCertificates()); err != nil {
		return err
	}
	for name, peer := range e.cluster.Members.ListAlive() {
		if err := etcd.CheckPeer(ctx, e.cluster.Timeout(), e.machine, peer.Address().String()); err != nil {
			return fmt.Errorf("cannot reach the peer %s: %w", name, err)
		}
	}
	if err := e.machine.WriteFile(etcd.DataFile, []byte(own.ID)); err != nil {
		return err
	}
	return e.cluster.Members.Update(e.node, func(m *etcd.Member) { m.Started = true })
}

// checkLeftoverData returns why a new member cannot start on the data of another cluster: here on the last master.
func (e etcdMember) checkLeftoverData() error {
	if e.cluster.Faults.LeftoverData && len(e.cluster.Members.List()) > e.cluster.Record().Replicas {
		return errors.New("couldn't validate cluster ID: cluster ID mismatch")
	}
	return nil
}

// checkCertificates returns why a new member cannot start: its certificates are missing, or those of an earlier machine of its name.
func (e etcdMember) checkCertificates() error {
	own := e.machine.Address().String()
	for _, name := range etcd.ListSecrets(e.node) {
		secret, exists := e.cluster.Objects.Get(cluster.SecretResource, "openshift-etcd", name)
		if !exists {
			return fmt.Errorf("waiting for the certificates: secret %q not found", name)
		}
		annotations := secret.Map("metadata.annotations")
		hostnames, _ := annotations[etcd.HostnamesAnnotation].(string)
		if valid := strings.Split(hostnames, ","); !slices.Contains(valid, own) {
			return fmt.Errorf("rejected connection: tls: the certificate of Secret %s is valid for %s, not %s", name, hostnames, own)
		}
	}
	return nil
}

func (e etcdMember) serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	if e.cluster.Faults.MemberBreaks {
		running.Go(func() {
			if e.injectDataLoss(ctx) {
				cancel()
			}
		})
	}
	if e.cluster.Faults.MemberFails {
		running.Go(func() {
			if e.injectMemberFailure(ctx) {
				cancel()
			}
		})
	}
	if e.isDoomed() {
		running.Go(func() {
			if e.injectDiskFailure(ctx) {
				cancel()
			}
		})
	}
	e.cluster.Members.Run(ctx, e.node, e.machine)
	if err := (masterhost.Host{Cluster: e.cluster, Machine: e.machine, Node: e.node}).KeepRevision(); err != nil {
		e.machine.Console("etcd: %v", err)
	}
}

// injectDataLoss waits until the bootstrap is complete, and deletes etcd's data on the last master by name. The member can never
// rejoin: the cluster has recorded it as started.
func (e etcdMember) injectDataLoss(ctx context.Context) bool {
	complete := e.cluster.Poll(ctx, 5*time.Second, func(context.Context) bool {
		status, _ := e.cluster.Objects.Get(cluster.ConfigMapResource, "kube-system", "bootstrap")
		return status.GetString("data.status") == "complete"
	})
	members := e.cluster.Members.List() // by name
	if !complete || members[len(members)-1].Name != e.node {
		return false
	}
	e.machine.Console("etcd: panic: tocommit is out of range, was the raft log corrupted, truncated, or lost?")
	if err := e.machine.WriteFile(etcd.DataFile, nil); err != nil {
		e.machine.Console("etcd: %v", err)
	}
	return true
}
