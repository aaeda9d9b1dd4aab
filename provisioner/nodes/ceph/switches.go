package ceph

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/state/rook"
)

// switches are what is switched while a node is changed, and switched back.
type switches struct {
	records
	quiet  time.Time              // until when the alerts are silenced
	states provisioner.LastStates // what was emitted last
}

// The applications of Argo CD that would set back what is changed here: root has the others in its catalog.
const (
	applicationRoot = "root"
	applicationRook = "rook-ceph"
)

func listApplications() []string { return []string{applicationRoot, applicationRook} }

// silenceLabel and its value are on all alerts of Project Syn's component.
const (
	silenceLabel = "syn_component"
	silenceValue = "rook-ceph"
)

func formatComment(node string) string { return "exoshift changes the storage node " + node }

// silence silences the alerts of Ceph.
func (w *switches) silence(ctx context.Context, report provisioner.Report, of Change) error {
	if of.IsCommitted {
		return provisioner.Skip("nothing of Ceph is changed any more")
	}
	err := w.set(ctx, of.Node, "silence", func(c *rook.Change) {
		c.Silenced, c.Added = true, c.Added && of.Devices > 0 // a node that leaves is not being added any more
	}, func(ctx context.Context) error {
		return w.cluster.Silence(ctx, silenceLabel, silenceValue, formatComment(of.Node), w.clock.Now(), silenceLength)
	})
	if err != nil {
		return err
	}
	w.quiet = w.clock.Now().Add(silenceLength)
	report.EmitProgress("the alerts with " + silenceLabel + "=" + silenceValue + " are silenced while this goes on")
	return nil
}

// renewSilence keeps the alerts silenced. That it fails now does not end the work: it is tried again.
func (w *switches) renewSilence(ctx context.Context, node string) {
	now := w.clock.Now()
	if !w.get(node).Silenced || w.quiet.Sub(now) > silenceLength/2 {
		return
	}
	if w.cluster.Silence(ctx, silenceLabel, silenceValue, formatComment(node), now, silenceLength) == nil {
		w.quiet = now.Add(silenceLength)
	}
}

// silenceDuring renews the silence while something is done that knows nothing of it.
func (w *switches) silenceDuring(ctx context.Context, node string, do func() error) error {
	during, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for w.clock.Sleep(during, silenceLength/6) == nil {
			w.renewSilence(during, node)
		}
	}()
	err := do()
	stop()
	<-ended
	return err
}

// switchSyncOff keeps Argo CD from setting back what is changed: first the application whose catalog has the other one.
func (w *switches) switchSyncOff(ctx context.Context, report provisioner.Report, of Change) error {
	if of.IsCommitted {
		return provisioner.Skip("nothing of Ceph is changed any more")
	}
	policies, err := w.cluster.GetSyncPolicies(ctx, listApplications()...)
	if err != nil {
		return err
	}
	if len(policies) == 0 {
		return provisioner.Skip("no Argo CD looks after Ceph")
	}
	known := w.get(of.Node).Policies
	for _, name := range listApplications() {
		automated := policies[name]
		if _, recorded := known[name]; automated == "" && !recorded {
			continue // it is off, by somebody else
		}
		err := w.set(ctx, of.Node, "sync "+name, func(c *rook.Change) {
			if c.Policies == nil {
				c.Policies = map[string]string{}
			}
			if _, recorded := c.Policies[name]; !recorded {
				c.Policies[name] = automated
			}
		}, func(ctx context.Context) error { return w.cluster.SetSyncPolicy(ctx, name, "") })
		if err != nil {
			return err
		}
		report.EmitProgress("Argo CD does not synchronize " + name + " by itself now")
	}
	return nil
}

// stopOperator keeps Rook from setting back what is changed.
func (w *switches) stopOperator(ctx context.Context, report provisioner.Report, of Change) error {
	if of.IsCommitted {
		return provisioner.Skip("nothing of Ceph is changed any more")
	}
	setup, err := w.cluster.GetCephSetup(ctx)
	if err != nil {
		return err
	}
	err = w.set(ctx, of.Node, "operator", func(c *rook.Change) {
		if c.Replicas == nil {
			c.Replicas = new(max(1, setup.Replicas))
		}
	}, func(ctx context.Context) error { return w.cluster.ScaleCephOperator(ctx, 0) })
	if err != nil {
		return err
	}
	return w.until(settleLimit, func(ctx context.Context) error {
		seen, err := w.cluster.GetCephSetup(ctx)
		if err == nil && seen.Pods > 0 {
			err = errors.New("the operator of Rook still runs")
		}
		return err
	})(ctx, report)
}

// startOperator also waits until it runs.
func (w *switches) startOperator(ctx context.Context, report provisioner.Report, of Change) error {
	replicas := w.get(of.Node).Replicas
	if replicas == nil {
		return provisioner.Skip("it was not stopped")
	}
	if err := w.restoreOperator(ctx, of.Node); err != nil {
		return err
	}
	return w.until(settleLimit, func(ctx context.Context) error {
		seen, err := w.cluster.GetCephSetup(ctx)
		if err == nil && seen.Ready < 1 {
			err = errors.New("the operator of Rook does not run yet")
		}
		return err
	})(ctx, report)
}

// setOptions has Ceph move data faster than beside its clients.
func (w *switches) setOptions(ctx context.Context, of Change) error {
	before, err := w.cluster.GetCephOptions(ctx)
	if err != nil {
		return err
	}
	for _, option := range [][2]string{{"osd osd_mclock_override_recovery_settings", "true"}, {"osd osd_max_backfills", "10"}} {
		name, value := option[0], option[1]
		err := w.set(ctx, of.Node, "option "+name, func(c *rook.Change) {
			if c.Options == nil {
				c.Options = map[string]string{}
			}
			if _, recorded := c.Options[name]; !recorded {
				c.Options[name] = before[name]
			}
		}, func(ctx context.Context) error {
			return w.cluster.RunCeph(ctx, append([]string{"config", "set"}, append(strings.Fields(name), value)...)...)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// setMonCheck has Rook replace a monitor that is gone after seconds.
func (w *switches) setMonCheck(ctx context.Context, of Change) error {
	setup, err := w.cluster.GetCephSetup(ctx)
	if err != nil {
		return err
	}
	return w.set(ctx, of.Node, "mon check", func(c *rook.Change) {
		if c.MonCheck == nil {
			c.MonCheck = &setup.MonCheck
		}
	}, func(ctx context.Context) error {
		return w.cluster.SetCephMonCheck(ctx, `{"interval":"10s","timeout":"10s"}`)
	})
}

// Restore switches back everything that a change of a storage node has switched, whatever of it fails; what does is recorded still. The record
// ends with it unless keep returns true for its node, or the node was added.
func (w *switches) Restore(ctx context.Context, keep func(node string) bool) (done []string, err error) {
	known := w.facts.Get().Storage
	if known == nil {
		return nil, nil
	}
	node := known.Node
	for _, one := range []struct {
		text    string
		needed  func(rook.Change) bool
		restore func(context.Context, string) error
		hint    string
	}{
		{"the weights of Ceph's OSDs", func(c rook.Change) bool { return len(c.Weights) > 0 }, w.restoreWeights, "oc -n " + rook.Namespace + " exec deploy/rook-ceph-tools -- ceph osd crush reweight"},
		{"the options of Ceph", func(c rook.Change) bool { return len(c.Options) > 0 }, w.restoreOptions, "oc -n " + rook.Namespace + " exec deploy/rook-ceph-tools -- ceph config rm osd osd_max_backfills"},
		{"the check of Ceph's monitors", func(c rook.Change) bool { return c.MonCheck != nil }, w.restoreMonCheck, "oc -n " + rook.Namespace + " edit cephcluster cluster"},
		{"Rook's operator", func(c rook.Change) bool { return c.Replicas != nil }, w.restoreOperator, "oc -n " + rook.OperatorNamespace + " scale deployment " + rook.Operator + " --replicas 1"},
		{"the synchronization by Argo CD", func(c rook.Change) bool { return len(c.Policies) > 0 }, w.restoreSync, `oc -n syn patch application root --type merge -p '{"spec":{"syncPolicy":{"automated":{"prune":true,"selfHeal":true}}}}'`},
		{"the alerts of Ceph", func(c rook.Change) bool { return c.Silenced }, w.endSilence, "end the silence of exoshift in Alertmanager"},
	} {
		if !one.needed(w.get(node)) {
			continue
		}
		if failure := one.restore(ctx, node); failure != nil {
			err = errors.Join(err, fault.New(fault.KindOf(failure), "switch "+one.text+" back", failure).WithHint("do it by hand, or run a command about nodes again: %s", one.hint))
			continue
		}
		done = append(done, one.text)
	}
	if left := w.get(node); !left.IsSwitched() && !left.Emptied && !left.Added && !keep(node) {
		err = errors.Join(err, w.facts.Update(func(facts *state.Facts) { facts.Storage = nil }))
	}
	return done, err
}

// restoreWeights has OSDs get their data back.
func (w *switches) restoreWeights(ctx context.Context, node string) error {
	for _, id := range slices.Sorted(maps.Keys(w.get(node).Weights)) {
		name, weight := "osd."+strconv.Itoa(id), strconv.FormatFloat(w.get(node).Weights[id], 'f', -1, 64)
		if err := w.do(ctx, name, func(ctx context.Context) error {
			return w.cluster.RunCeph(ctx, "osd", "crush", "reweight", name, weight)
		}); err != nil {
			return err
		}
		if err := w.record(node, func(c *rook.Change) { delete(c.Weights, id) }); err != nil {
			return err
		}
	}
	return nil
}

func (w *switches) restoreOptions(ctx context.Context, node string) error {
	for _, name := range slices.Sorted(maps.Keys(w.get(node).Options)) {
		arguments := append([]string{"config", "rm"}, strings.Fields(name)...)
		if before := w.get(node).Options[name]; before != "" {
			arguments = append([]string{"config", "set"}, append(strings.Fields(name), before)...)
		}
		if err := w.do(ctx, "option "+name, func(ctx context.Context) error { return w.cluster.RunCeph(ctx, arguments...) }); err != nil {
			return err
		}
		if err := w.record(node, func(c *rook.Change) { delete(c.Options, name) }); err != nil {
			return err
		}
	}
	return nil
}

func (w *switches) restoreMonCheck(ctx context.Context, node string) error {
	before := w.get(node).MonCheck
	if before == nil {
		return nil
	}
	if err := w.do(ctx, "mon check", func(ctx context.Context) error { return w.cluster.SetCephMonCheck(ctx, *before) }); err != nil {
		return err
	}
	return w.record(node, func(c *rook.Change) { c.MonCheck = nil })
}

func (w *switches) restoreOperator(ctx context.Context, node string) error {
	replicas := w.get(node).Replicas
	if replicas == nil {
		return nil
	}
	if err := w.do(ctx, "operator", func(ctx context.Context) error { return w.cluster.ScaleCephOperator(ctx, *replicas) }); err != nil {
		return err
	}
	return w.record(node, func(c *rook.Change) { c.Replicas = nil })
}

// restoreSync ends with the application whose catalog has the others.
func (w *switches) restoreSync(ctx context.Context, node string) error {
	for _, name := range slices.Backward(listApplications()) {
		automated, switched := w.get(node).Policies[name]
		if !switched {
			continue
		}
		if err := w.do(ctx, "sync "+name, func(ctx context.Context) error { return w.cluster.SetSyncPolicy(ctx, name, automated) }); err != nil {
			return err
		}
		if err := w.record(node, func(c *rook.Change) { delete(c.Policies, name) }); err != nil {
			return err
		}
	}
	return nil
}

func (w *switches) endSilence(ctx context.Context, node string) error {
	if err := w.do(ctx, "silence", func(ctx context.Context) error { return w.cluster.EndSilence(ctx, formatComment(node)) }); err != nil {
		return err
	}
	return w.record(node, func(c *rook.Change) { c.Silenced = false })
}
