package nodes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/provisioner/install/machines"
	"exoshift/state"
	"exoshift/state/poolmember"
)

// readPools returns the answers with the members that their instance pools have now, and the pools.
func readPools(ctx context.Context, spec state.Spec, facts state.Facts, cloud Cloud, there []state.Instance) (state.Spec, []state.InstancePool, error) {
	roles := state.ListPoolRoles(spec)
	if len(roles) == 0 {
		return spec, nil, nil
	}
	pools, err := cloud.ListInstancePools(ctx, spec.Labels())
	if err != nil {
		return spec, nil, err
	}
	spec.Members = poolmember.New(spec.Members.Map())
	for _, role := range roles {
		for _, pool := range pools {
			if pool.Name == machines.FormatPool(spec, role) {
				spec.Members.Replace(role, machines.ListMembers(pool, there, facts))
			}
		}
	}
	return spec, pools, nil
}

// poolMembers are the targets that instance pools have made.
type poolMembers struct{ *Removal }

// readPools reads what the pools are like before anything is changed.
func (r poolMembers) readPools(ctx context.Context) error {
	if len(state.ListPoolRoles(r.spec)) == 0 {
		return nil
	}
	there, err := r.clients.Cloud.ListInstances(ctx, r.spec.Labels())
	if err != nil {
		return err
	}
	if r.spec, r.pools, err = readPools(ctx, r.spec, r.facts.Get(), r.clients.Cloud, there); err != nil {
		return err
	}
	r.current.Members = r.spec.Members
	return nil
}

// findPools gives each target the pool that its machine is a member of, and refuses to make a pool smaller than it may become.
func (r review) findPools() error {
	for _, pool := range r.pools {
		leaving := 0
		for i := range r.targets {
			if machine := r.targets[i].Machine; machine != nil && slices.Contains(pool.Members, machine.ID) {
				r.targets[i].Pool = &pool
				leaving++
			}
		}
		left := pool.Size - leaving
		if r.isReplacement() {
			left = pool.Size
		}
		if leaving > 0 && left < pool.MinAvailable {
			return r.refuse("the instance pool %s would have %d machines left, and its min-available is %d", pool.Name, left, pool.MinAvailable).
				WithHint("lower that first: exo compute instance-pool update %s --zone %s --min-available %d", pool.ID, r.spec.Exoscale.Zone, left)
		}
	}
	return nil
}

// newMember stands for the name of the machine that a pool makes in the place of another: only the pool knows which one that is.
const newMember = "a new member of its instance pool"

// learnMembers takes over the names of the machines that pools have just made.
func (r poolMembers) learnMembers() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = r.current.WithFacts(r.facts.Get())
}

// formatAdded returns what is added in the place of the targets.
func formatAdded(batch []Target) string {
	var names []string
	members := 0
	for _, target := range batch {
		switch {
		case !target.isAdded():
		case target.Replacement.Name == newMember:
			members++
		default:
			names = append(names, target.Replacement.Name)
		}
	}
	if members > 0 {
		names = append(names, fmt.Sprintf("%d to the instance pool", members))
	}
	return strings.Join(names, ", ")
}

// evictMember has the pool of a machine destroy it, by its ID: a pool that is merely made smaller chooses the machine itself.
func (r poolMembers) evictMember(ctx context.Context, report provisioner.Report, t Target) error {
	if err := r.evictOnce(ctx, report, t); err != nil {
		return err
	}
	return provisioner.PollUntil(r.clients.Clock, pollInterval, silenceLimit, func(ctx context.Context, _ provisioner.Report) error {
		return checkSilent(ctx, r.clients.Cluster, t.Name)
	})(ctx, report)
}

// evictOnce compares the members with those before, which are recorded first: also a run that was killed in between notices what the pool
// did otherwise, and asks nothing more of it.
func (r poolMembers) evictOnce(ctx context.Context, report provisioner.Report, t Target) error {
	select {
	case r.evicting <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-r.evicting }()
	pool, err := r.findPool(ctx, *t.Pool)
	if err != nil {
		return err
	}
	before := pool.Members
	if known := r.facts.Get().FindRemoval(t.Name); known != nil && len(known.Members) > 0 {
		before = known.Members
		if wrong := compareMembers(t, before, pool.Members, true); wrong != nil {
			return r.stopWrong(ctx, report, t, pool, *wrong)
		}
	} else if err := r.recordMembers(t, before); err != nil {
		return err
	}
	action, err := r.clients.Cloud.EvictPoolMember(ctx, pool.ID, t.Machine.ID)
	if err != nil {
		return err
	}
	if pool, err = r.findPool(ctx, pool); err != nil {
		return err
	}
	if wrong := compareMembers(t, before, pool.Members, false); wrong != nil {
		return r.stopWrong(ctx, report, t, pool, *wrong)
	}
	report.EmitObject(state.KindInstance, t.Name, t.Machine.ID, string(action))
	return r.recordMembers(t, nil)
}

func (r poolMembers) recordMembers(t Target, members []string) error {
	return r.facts.Update(func(facts *state.Facts) {
		if known := facts.FindRemoval(t.Name); known != nil {
			removal := *known
			removal.Members = members
			facts.SetRemoval(removal)
		}
	})
}

func (r poolMembers) findPool(ctx context.Context, known state.InstancePool) (state.InstancePool, error) {
	pools, err := r.clients.Cloud.ListInstancePools(ctx, r.spec.Labels())
	if err != nil {
		return known, err
	}
	at := slices.IndexFunc(pools, func(p state.InstancePool) bool { return p.ID == known.ID })
	if at < 0 {
		return known, fault.Newf(fault.NotFound, "read the instance pool "+known.Name, "it is gone")
	}
	return pools[at], nil
}

// wrongMembers are the IDs of machines by which a pool differs from what it should have after an eviction.
type wrongMembers struct{ lost, extra []string }

// compareMembers returns nil if the pool has the members that it should have; before the
// eviction, it may still have the target, and others that were added meanwhile.
func compareMembers(t Target, before, now []string, asking bool) *wrongMembers {
	wrong := wrongMembers{
		lost:  slices.DeleteFunc(slices.Clone(before), func(id string) bool { return id == t.Machine.ID || slices.Contains(now, id) }),
		extra: slices.DeleteFunc(slices.Clone(now), func(id string) bool { return slices.Contains(before, id) }),
	}
	switch {
	case len(wrong.lost) > 0, !asking && len(wrong.extra) > 0, !asking && slices.Contains(now, t.Machine.ID):
		return &wrong
	}
	return nil
}

// stopWrong ends the removal of a target that is still there, which goes on working then; what the pool has destroyed in its place is
// recorded, so that its node is removed next.
func (r poolMembers) stopWrong(ctx context.Context, report provisioner.Report, t Target, pool state.InstancePool, wrong wrongMembers) error {
	there, err := r.clients.Cloud.ListInstances(ctx, r.spec.Labels())
	if err != nil {
		return err
	}
	found := diagnosis.WrongEviction{Pool: pool.Name, Asked: t.Name}
	for _, instance := range there {
		if slices.Contains(wrong.extra, instance.ID) {
			found.Extra = append(found.Extra, instance.Name)
		}
	}
	r.mu.Lock()
	known := append(r.spec.Members.List(t.Role), r.current.Members.List(t.Role)...) // before and after the pool made others
	r.mu.Unlock()
	slices.Sort(known)
	for _, name := range slices.Compact(known) {
		if name != t.Name && !slices.ContainsFunc(there, func(i state.Instance) bool { return i.Name == name }) && r.facts.Get().FindRemoval(name) == nil {
			found.Lost = append(found.Lost, name)
		}
	}
	remains := slices.Contains(pool.Members, t.Machine.ID)
	err = r.facts.Update(func(facts *state.Facts) {
		for _, name := range found.Lost {
			facts.SetRemoval(state.NodeRemoval{Node: name, Role: t.Role, Committed: true})
		}
		if known := facts.FindRemoval(t.Name); known != nil {
			removal := *known
			removal.Members = nil
			if remains && len(found.Lost) > 0 { // one machine less is what the answers have: another one
				removal.Committed, removal.ReplacedBy = false, ""
			}
			facts.SetRemoval(removal)
		}
		members := poolmember.New(facts.PoolMembers)
		members.Replace(t.Role, machines.ListMembers(pool, there, *facts))
		facts.PoolMembers = members.Map()
	})
	r.observer.observe(report, t.Name, obstacles{evicted: &found})
	return errors.Join(describeWrong(found, remains), err)
}

func describeWrong(found diagnosis.WrongEviction, remains bool) error {
	op := "evict " + found.Asked + " from the instance pool " + found.Pool
	switch {
	case len(found.Lost) > 0 && remains:
		return fault.Newf(fault.Conflict, op, "the pool destroyed the machine of %s instead, so nothing more is removed", strings.Join(found.Lost, ", ")).
			WithHint("%s is in use again. End what the pool has begun: exoshift nodes remove %s", found.Asked, strings.Join(found.Lost, " "))
	case len(found.Lost) > 0:
		return fault.Newf(fault.Conflict, op, "the pool destroyed the machine of %s, too, so nothing more is removed", strings.Join(found.Lost, ", ")).
			WithHint("end what the pool has begun: exoshift nodes remove %s %s", found.Asked, strings.Join(found.Lost, " "))
	case len(found.Extra) > 0:
		return fault.Newf(fault.Conflict, op, "the pool made %s in its place, so nothing more is removed", strings.Join(found.Extra, ", ")).
			WithHint("end that first: exoshift nodes remove %s %s", found.Asked, strings.Join(found.Extra, " "))
	}
	return fault.Newf(fault.Transient, op, "the pool still has it").WithHint("run the same command again")
}

// deleteLast is the end of the removal of a pool's member.
func (r poolMembers) deleteLast(ctx context.Context, report provisioner.Report, t Target) error {
	if err := r.deleteNode(ctx, report, t); err != nil {
		return err
	}
	return end(r.Removal, t)
}
