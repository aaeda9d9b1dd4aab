// Package controlplane waits for the control plane, etcd and the nodes of a new cluster.
package controlplane

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/machines"
	"exoshift/provisioner/install/watch"
	"exoshift/state"
)

// Limits of each part of the installation. Slow disks and networks make installations exceed openshift-install's own
// limits and complete nevertheless, so these are longer.
const (
	limitAPI    = 30 * time.Minute
	limitMaster = 45 * time.Minute
	limitNodes  = 60 * time.Minute
)

// ControlPlane waits for a cluster that a watcher polls.
type ControlPlane struct {
	spec     state.Spec
	facts    *state.FactsStore
	machines *machines.Machines
	watcher  *watch.Watcher
	states   provisioner.LastStates // of actions needed
}

// New returns the control plane of a cluster.
func New(spec state.Spec, facts *state.FactsStore, machines *machines.Machines, watcher *watch.Watcher) *ControlPlane {
	return &ControlPlane{spec: spec, facts: facts, machines: machines, watcher: watcher}
}

// WaitTemporaryAPI waits until the bootstrap machine serves an API.
func (c *ControlPlane) WaitTemporaryAPI() provisioner.StepFunc {
	return c.waitPhase(limitAPI, state.PhaseTemporaryAPI)
}

// WaitBootstrapComplete waits until the bootstrap is complete.
func (c *ControlPlane) WaitBootstrapComplete() provisioner.StepFunc {
	return c.waitPhase(limitMaster, state.PhaseComplete)
}

func (c *ControlPlane) waitPhase(limit time.Duration, phase string) provisioner.StepFunc {
	return c.watcher.Until(limit, func(_ provisioner.Report, seen state.Snapshot) error {
		if seen.Bootstrap.Has(phase) {
			return nil
		}
		return errors.New(cmp.Or(seen.Bootstrap.Waiting, "not yet "+phase))
	})
}

// WaitMasters waits until the masters have joined. A master needs its etcd member once the bootstrap machine's member
// is removed.
func (c *ControlPlane) WaitMasters() provisioner.StepFunc {
	machines := c.spec.Machines(state.RoleMaster)
	return c.waitWithActions(limitMaster, "wait for the masters to join", func(seen state.Snapshot) error {
		if err := c.checkReadyNodes(seen, machines); err != nil || !c.facts.Get().IsBootstrapped() {
			return err
		}
		return c.checkMemberMachines(seen.Etcd)
	})
}

// WaitEtcd waits until all members are on the masters: 1, 2, 3, 4, 3. The condition that the bootstrap machine's member
// is removed stays true for ever, so it proves nothing about a recreated master.
func (c *ControlPlane) WaitEtcd() provisioner.StepFunc {
	return c.waitWithActions(limitMaster, "wait until etcd has a member on every master", func(seen state.Snapshot) error {
		if !seen.Etcd.BootstrapRemoved {
			return c.checkEtcd(seen.Etcd)
		}
		return c.checkMemberMachines(seen.Etcd)
	})
}

// WaitNodes waits until every node is Ready. Each poll approves the certificate requests of the nodes that this
// installation started, and of no others.
func (c *ControlPlane) WaitNodes() provisioner.StepFunc {
	return c.waitWithActions(limitNodes, "wait until every node is Ready", func(seen state.Snapshot) error {
		return c.checkReadyNodes(seen, c.spec.Nodes())
	})
}

// The action needed is due to recreated machines.
func (c *ControlPlane) waitWithActions(limit time.Duration, op string, lacks func(state.Snapshot) error) provisioner.StepFunc {
	var action string
	wait := c.watcher.Until(limit, func(report provisioner.Report, seen state.Snapshot) error {
		lacking := lacks(seen)
		action = ""
		if lacking != nil {
			parts := []string{describeReplaced(seen), c.describeStaleMembers(seen.Etcd), c.watcher.DescribeDecision()}
			action = strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n")
		}
		if c.states.Update(op, action) {
			report.EmitActionNeeded(action)
		}
		return lacking
	})
	return func(ctx context.Context, report provisioner.Report) error {
		err := wait(ctx, report)
		var limit *provisioner.LimitError
		if action == "" || !errors.As(err, &limit) {
			return err
		}
		return fault.New(fault.Timeout, op, err).WithHint("%s\nThen run the same command again.", action)
	}
}
