package openshift

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// runEtcd runs this master's member of etcd once the operator has added it. It joins only if it can reach a peer.
func (k *kubelet) runEtcd(ctx context.Context, p *pod) error {
	closePorts, err := openEtcdPorts(k.machine)
	if err != nil {
		return err
	}
	defer closePorts()
	shown := ""
	joined := k.clusters.poll(ctx, 5*time.Second, func(ctx context.Context) bool {
		err := k.joinEtcd(ctx)
		if err != nil && err.Error() != shown {
			shown = err.Error()
			k.machine.Console("etcd: %s", shown)
		}
		return err == nil
	})
	if !joined {
		return nil
	}
	p.ready.Store(true)
	k.serveEtcd(ctx)
	p.ready.Store(false)
	return nil
}

var errNotMember = errors.New("waiting to be added to the cluster")

func (k *kubelet) joinEtcd(ctx context.Context) error {
	own, ok := k.cluster.members.Get(k.node)
	if !ok || own.Address != k.machine.Address().String() {
		return errNotMember
	}
	data, _ := k.machine.ReadFile(etcdDataFile)
	switch {
	case own.Started && string(data) == own.ID:
		return nil
	case own.Started:
		return fmt.Errorf("member %s has already been bootstrapped, and its data is not on this disk", own.ID)
	}
	if err := k.cluster.checkLeftoverData(); err != nil {
		return err
	}
	for name, peer := range k.cluster.listAliveMembers() {
		if err := checkPeer(ctx, k.cluster, k.machine, peer.Address().String()); err != nil {
			return fmt.Errorf("cannot reach the peer %s: %w", name, err)
		}
	}
	if err := k.machine.WriteFile(etcdDataFile, []byte(own.ID)); err != nil {
		return err
	}
	return k.cluster.updateMember(k.node, func(m *member) { m.Started = true })
}

func (k *kubelet) runAPIServer(ctx context.Context, p *pod) error {
	if p.fromAPI {
		if k.clusters.waitScaled(ctx, 60*time.Second+computeJitter(p.name, 20*time.Second)) != nil {
			return nil
		}
	}
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() {
		k.clusters.poll(ctx, 5*time.Second, func(context.Context) bool {
			p.ready.Store(k.cluster.checkQuorum() == nil)
			return false
		})
	})
	running.Go(func() { k.cluster.runControllers(ctx, k.machine) })
	return k.cluster.serveAPI(ctx, k.machine, true)
}
