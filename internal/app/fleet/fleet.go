package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"exoshift/internal/app/exit"
	"exoshift/internal/stable"
	"exoshift/state/shared"
)

// Fleet is the clusters of a place.
type Fleet struct {
	Place *shared.Place
	Work  string // directory of private copies
	// Refresh asks the clusters that no run works on, and keeps what it finds as their last check; nil: nothing is asked.
	Refresh *Refresh
	Now     func() time.Time
}

// List returns the clusters that a selector chooses, sorted by ID. notes are about what could not be had, a sentence each.
func (f Fleet) List(ctx context.Context, selector Selector) (clusters []Cluster, notes []string, err error) {
	before, err := f.read(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	clusters = f.newClusters(before)
	chosen := slices.DeleteFunc(slices.Clone(clusters), func(c Cluster) bool { return !selector.Matches(c.Labels) })
	if f.Refresh == nil {
		return chosen, nil, nil
	}
	notes = f.Refresh.run(ctx, f, chosen)
	now, err := f.read(ctx, before)
	if err != nil {
		return nil, notes, err
	}
	chosen = slices.DeleteFunc(f.newClusters(now), func(c Cluster) bool {
		return !slices.ContainsFunc(chosen, func(b Cluster) bool { return b.ID == c.ID })
	})
	if len(selector) == 0 { // Lieutenant knows no labels of ours
		others, problems := f.Refresh.listOthers(ctx, clusters)
		chosen, notes = append(chosen, others...), append(notes, problems...)
	}
	stable.Sort(chosen, func(a, b Cluster) int { return cmp.Compare(a.ID, b.ID) })
	return chosen, notes, nil
}

func (f Fleet) newClusters(all []shared.Status) []Cluster {
	clusters := make([]Cluster, len(all))
	for n, status := range all {
		clusters[n] = newCluster(status, f.Now())
	}
	return clusters
}

// read returns what is known of all clusters without asking them. before is what was read earlier: a folder that has not changed since
// is not summarized again.
func (f Fleet) read(ctx context.Context, before []shared.Status) ([]shared.Status, error) {
	all, err := shared.NewOverview(f.Place).List(ctx)
	if err != nil {
		return nil, err
	}
	var group errgroup.Group
	group.SetLimit(refreshParallel)
	for n := range all {
		status := &all[n]
		if status.Err != nil || status.Summary != nil {
			continue
		}
		if known := slices.IndexFunc(before, func(b shared.Status) bool { return b.ID == status.ID && b.Counter == status.Counter }); known >= 0 {
			status.Summary, status.Err = before[known].Summary, before[known].Err
			continue
		}
		group.Go(func() error { // no run has kept one: it was imported
			status.Summary, status.Err = f.summarize(ctx, status.ID)
			return nil
		})
	}
	return all, group.Wait()
}

func (f Fleet) summarize(ctx context.Context, id string) (summary *shared.Summary, err error) {
	copied, err := f.Place.OpenReadOnly(ctx, id, f.Work)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	folder, err := copied.Folder()
	if err != nil {
		return nil, err
	}
	made := NewSummarizer(folder).Summarize()
	return &made, nil
}

// Gate are the clusters that have to be healthy and without drift before a pipeline goes on.
type Gate struct {
	Selected int
	Faults   map[string][]string // by the IDs of clusters that are not
}

// CheckGate judges clusters; those that were destroyed, or are not in shared state, do not count.
func CheckGate(clusters []Cluster) Gate {
	gate := Gate{Faults: map[string][]string{}}
	for _, c := range clusters {
		if c.Phase == PhaseDestroyed || c.Phase == PhaseElsewhere {
			continue
		}
		gate.Selected++
		if faults := c.ListFaults(); len(faults) > 0 {
			gate.Faults[c.ID] = faults
		}
	}
	return gate
}

// Err is nil if all selected clusters are healthy and without drift, and at least one is selected.
func (g Gate) Err() error {
	switch {
	case g.Selected == 0:
		return exit.WithCode(exit.Usage, errors.New("the selector chooses no cluster; see: exoshift fleet status"))
	case len(g.Faults) > 0:
		return exit.WithCode(exit.Checks, newGateError(len(g.Faults), g.Selected))
	}
	return nil
}

func newGateError(faulty, selected int) error {
	return fmt.Errorf("%d of %d selected clusters are not healthy, or have drifted", faulty, selected)
}
