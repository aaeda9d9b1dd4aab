package fleet

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"exoshift/internal/app/changes"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/layers"
	"exoshift/internal/app/run"
	"exoshift/internal/network"
	"exoshift/provisioner/openshift"
	"exoshift/state"
	"exoshift/state/shared"
	"exoshift/wizard"
)

const (
	refreshParallel = 16
	refreshTimeout  = 2 * time.Minute // of one cluster
)

// Refresh asks clusters and the cloud how they are.
type Refresh struct {
	Host    *environment.Host
	Net     network.Network     // by which Lieutenant is reached
	Access  *environment.Access // to Project Syn, of all clusters
	Options run.Options
	Lookup  layers.LookupEnv // of the variables that answers refer to
	// Open is for clusters of simulated zones; nil: run.OpenPreview.
	Open func(ctx context.Context, folder state.Folder, spec state.Spec, secrets wizard.Secrets) (r run.Run, leave func() error, err error)
}

// run checks clusters side by side.
func (r *Refresh) run(ctx context.Context, fleet Fleet, clusters []Cluster) (notes []string) {
	var group errgroup.Group
	var mu sync.Mutex
	group.SetLimit(refreshParallel)
	for _, c := range clusters {
		if c.Run.State == shared.RunRunning || c.Phase == PhaseUnreadable || c.Phase == PhaseDestroyed {
			continue
		}
		group.Go(func() error {
			if err := r.refresh(ctx, fleet, c); err != nil {
				mu.Lock()
				defer mu.Unlock()
				notes = append(notes, fmt.Sprintf("%s: %v", c.ID, err))
			}
			return nil
		})
	}
	_ = group.Wait() // nothing fails as a whole
	return notes
}

func (r *Refresh) refresh(ctx context.Context, fleet Fleet, c Cluster) (err error) {
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	copied, err := fleet.Place.OpenReadOnly(ctx, c.ID, fleet.Work)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	folder, err := copied.Folder()
	if err != nil {
		return err
	}
	check, err := r.check(ctx, folder)
	if err != nil {
		return err
	}
	check.Counter = c.Counter
	return shared.NewOverview(fleet.Place).RecordCheck(ctx, c.ID, check)
}

// check compares a cluster with its answers, and polls it once.
func (r *Refresh) check(ctx context.Context, folder state.Folder) (check shared.Check, err error) {
	given, err := layers.ReadFolder(folder.Path(state.AnswersFile), nil)
	if err != nil {
		return check, err
	}
	read, err := given.Load(r.Lookup)
	switch {
	case err != nil:
		return check, err
	case len(read.Problems) > 0:
		return check, errors.New(read.Problems[0].String())
	case len(read.Missing) > 0:
		return check, fmt.Errorf("there is no answer for %s", read.Missing[0].Field)
	}
	s, leave, err := r.open(ctx, folder, read.Answers.Spec, read.Secrets)
	if err != nil {
		return check, err
	}
	defer func() { err = errors.Join(err, leave()) }()
	facts, err := folder.LoadFacts()
	if err != nil {
		return check, err
	}
	var polling sync.WaitGroup
	if !facts.IgnitionCreated.IsZero() {
		polling.Go(func() { pollCluster(ctx, s, facts, &check) })
	}
	drift, unknown := findDrift(ctx, s)
	polling.Wait()
	check.Drift = drift
	if unknown != nil {
		check.Findings = append(check.Findings, "whether it has drifted is not known: "+unknown.Error())
	}
	return check, nil
}

func (r *Refresh) open(ctx context.Context, folder state.Folder, spec state.Spec, secrets wizard.Secrets) (run.Run, func() error, error) {
	if r.Open != nil {
		return r.Open(ctx, folder, spec, secrets)
	}
	s, leave, err := run.OpenPreview(ctx, r.Host, folder.Path(), r.Options, spec, secrets)
	s.Access = r.Access // one sign-in for all clusters
	return s, leave, err
}

// findDrift reports whether an installation would change anything; nil: that is not known, for a reason.
func findDrift(ctx context.Context, s run.Run) (drift *bool, unknown error) {
	answers, err := changes.Compare(s.Folder, s.Spec)
	if err != nil {
		return nil, err
	}
	preview, err := s.Preview(ctx)
	if err != nil {
		return nil, err
	}
	return ToDrift(changes.CheckUnchanged(answers, preview))
}

// ToDrift returns what the result of `plan --expect-no-change` says about drift.
func ToDrift(result error) (drift *bool, unknown error) {
	changed := result != nil
	if changed && exit.Code(result) != exit.Checks {
		return nil, result
	}
	return &changed, nil
}

func pollCluster(ctx context.Context, s run.Run, facts state.Facts, check *shared.Check) {
	cluster := openshift.NewCluster(s.Net, s.ReadKubeconfig)
	defer cluster.Close()
	check.Polled, check.Nodes, check.Version = true, len(s.Spec.Nodes()), facts.Version()
	seen, err := cluster.Poll(ctx, netip.Addr{}, nil)
	if err != nil {
		check.Findings = append(check.Findings, "its API does not answer: "+err.Error())
		return
	}
	if seen.Version.Version != "" {
		check.Version = seen.Version.Version
	}
	check.Updates = seen.Version.Updates
	for _, node := range seen.Nodes {
		if node.Ready {
			check.NodesReady++
		}
	}
	for _, operator := range seen.Operators {
		if operator.Degraded || !operator.Available {
			check.Degraded = append(check.Degraded, operator.Name)
		}
	}
}
