package main

import (
	"context"
	"io"
	"math"
	"os"
	"slices"
	"testing"

	appnodes "exoshift/internal/app/nodes"
	apprecovery "exoshift/internal/app/recovery"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/install"
	"exoshift/provisioner/recovery"
	"exoshift/state"
	hosts "exoshift/state/recovery"
)

// faultyHosts are the masters by SSH. left counts the files of a backup that are on one.
type faultyHosts struct {
	recovery.Hosts
	by   *faultInjector
	left *int
}

func (h faultyHosts) DisableEtcd(ctx context.Context, host hosts.Host) error {
	return h.by.change(func() error { return h.Hosts.DisableEtcd(ctx, host) })
}

func (h faultyHosts) RestoreQuorum(ctx context.Context, host hosts.Host) error {
	return h.by.change(func() error { return h.Hosts.RestoreQuorum(ctx, host) })
}

func (h faultyHosts) PrepareCopy(ctx context.Context, host hosts.Host) error {
	return h.by.change(func() error { return h.Hosts.PrepareCopy(ctx, host) })
}

func (h faultyHosts) Copy(ctx context.Context, host hosts.Host, file hosts.File, write func(io.Writer) error) error {
	return h.by.change(func() error {
		*h.left++
		return h.Hosts.Copy(ctx, host, file, write)
	})
}

func (h faultyHosts) RestoreSnapshot(ctx context.Context, host hosts.Host) error {
	return h.by.change(func() error { return h.Hosts.RestoreSnapshot(ctx, host) })
}

func (h faultyHosts) DeleteCopy(ctx context.Context, host hosts.Host) error {
	return h.by.change(func() error {
		*h.left = 0
		return h.Hosts.DeleteCopy(ctx, host)
	})
}

// faultyRecovery is the cluster once its API answers again.
type faultyRecovery struct {
	faultyMasters
	cluster recovery.Cluster
}

func (c faultyRecovery) IsUnsafeAllowed(ctx context.Context) (bool, error) {
	return c.cluster.IsUnsafeAllowed(ctx)
}

// AllowUnsafe meets no fault if it changes nothing.
func (c faultyRecovery) AllowUnsafe(ctx context.Context, allowed bool) (state.Action, error) {
	if is, err := c.cluster.IsUnsafeAllowed(ctx); err == nil && is == allowed {
		return c.cluster.AllowUnsafe(ctx, allowed)
	}
	return c.do(func() (state.Action, error) { return c.cluster.AllowUnsafe(ctx, allowed) })
}

// recoveriesWithFaults recovers a cluster of its own for each call that has a fault, both ways: there is the same end, nothing is doubled or left
// behind.
func recoveriesWithFaults(t *testing.T, dir string, world circumstances, keys backup.Keys) {
	t.Helper()
	for name, wanted := range map[string]apprecovery.Request{
		"from a member": {From: "master-0"}, "from a backup": {Backup: "latest", Identities: keys.Identities},
	} {
		for _, how := range []injectedFault{killedBefore, killedAfter, answerLost, refusedBurst} {
			t.Run(name+" with a fault at every call: "+string(how), func(t *testing.T) {
				if os.Getenv("EXOSHIFT_NODE_FAULTS") != "all" {
					t.Skip("it takes a cluster for each call, and make faults is at its time limit: make pairs runs it")
				}
				t.Parallel()
				world := world
				for at, more := 1, true; more && at < math.MaxInt; at++ {
					world.dir = t.TempDir()
					copyTree(t, dir, world.dir)
					by := &faultInjector{how: how}
					world.middleware = by.before
					virtuallyIn(t, world, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
						more = recoverWithFault(t, s, by, at, wanted)
					})
					if err := os.RemoveAll(world.dir); err != nil {
						t.Fatal(err)
					}
					if !more && at < 20 {
						t.Errorf("there were only %d calls", at-1)
					}
				}
			})
		}
	}
}

// recoverWithFault reports whether there was a call of that number.
func recoverWithFault(t *testing.T, s run.Run, by *faultInjector, at int, wanted apprecovery.Request) bool {
	t.Helper()
	before, left := listTally(t, s), 0
	alter := func(clients *recovery.Clients) {
		deleted := false
		clients.Hosts = faultyHosts{clients.Hosts, by, &left}
		clients.Cluster = faultyRecovery{faultyMasters{clients.Cluster, faultyCluster{clients.Cluster, by}, by, t, &deleted}, clients.Cluster}
	}
	verb := faultyVerb{
		name: "recover etcd",
		run: func(ctx context.Context) (string, error) {
			return recoverEtcdWith(ctx, t, s, wanted, alter, func(cluster *appnodes.Cluster) {
				cluster.AlterInstallation = func(clients *install.Clients) {
					by.injectIntoAddition(func(node string) bool { return slices.Contains([]string{"master-1", "master-2"}, node) })(clients)
				}
			}, new(apprecovery.Plan))
		},
		again: func() (string, error) {
			_, out, err := recoverEtcd(t.Context(), t, s, wanted, alter)
			return out, err
		},
		check: func() {
			requireWholePlane(t, s)
			checkTally(t, s, before)
			if wanted.Backup != "" {
				requireSnapshot(t, s)
			}
			if open := listTemporaryRules(t, s); len(open) > 0 || facts(t, s).Recovery != nil || left > 0 {
				t.Errorf("left: %v, %+v, %d files", open, facts(t, s).Recovery, left)
			}
		},
	}
	return verb.runWithFault(t, s, by, at) >= at
}
