// Package restore restores objects of the API from a backup: which are wanted, what speaks against each, how each differs from the cluster's, and
// the steps that apply them. Nothing is deleted.
package restore

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"filippo.io/age"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/backup"
	"exoshift/state"
	"exoshift/state/restoration"
)

// Cluster is the API of the cluster.
type Cluster interface {
	// ListServedKinds returns the kinds that the API serves, in its order.
	ListServedKinds(ctx context.Context) ([]restoration.Kind, error)
	// ListApplications returns the names of the applications of Argo CD.
	ListApplications(ctx context.Context) ([]string, error)
	// GetLiveObject returns the object that the cluster has, nil: none.
	GetLiveObject(ctx context.Context, object restoration.Object) (json.RawMessage, error)
	// PreviewObject returns what the cluster would have after RestoreObject; a *restoration.RefusedError: it refuses the object.
	PreviewObject(ctx context.Context, object restoration.Object) (json.RawMessage, error)
	// RestoreObject applies an object; errors as PreviewObject.
	RestoreObject(ctx context.Context, object restoration.Object) error
}

// Clients are what objects are restored with.
type Clients struct {
	Cluster Cluster
	Objects backup.Objects
	Clock   provisioner.Clock
}

// Options of a restoration.
type Options struct {
	From       string // the name of a backup, or latest
	Selection  Selection
	Identities []age.Identity
	InfraID    string // of the installation of the cluster
}

// Restore restores objects.
type Restore struct {
	spec    state.Spec
	clients Clients
	options Options
	store   *backup.Store

	served       []restoration.Kind
	applications []string
	namespaces   map[string]bool // that are created, too
	changes      []Change
}

// New is for the cluster of these answers.
func New(spec state.Spec, clients Clients, options Options) *Restore {
	return &Restore{spec: spec, clients: clients, options: options, store: backup.NewStore(spec, clients.Objects), namespaces: map[string]bool{}}
}

// phase is that of both steps, by which a failure has its exit code.
const phase = "operators"

const (
	pollInterval = 10 * time.Second
	// answerLimit is for how long the API may be away.
	answerLimit = 5 * time.Minute
)

// Plan returns the steps, after Review.
func (r *Restore) Plan() provisioner.Plan {
	return provisioner.Plan{
		{ID: "apply", Title: "Apply the objects, those first that others need", Phase: phase, Usual: 10 * time.Second, Do: r.apply},
		{ID: "compare", Title: "Compare them with the backup again", Phase: phase, Usual: 5 * time.Second, Needs: []string{"apply"}, Do: r.compareAgain},
	}
}

const opRestore = "restore objects"

// apply applies each object that differs. One that is not any more what was agreed to is left alone.
func (r *Restore) apply(ctx context.Context, report provisioner.Report) error {
	for i := range r.changes {
		change := &r.changes[i]
		if change.Action != Create && change.Action != Update {
			continue
		}
		if err := r.repeat(ctx, report, func(ctx context.Context) error { return r.applyOne(ctx, report, *change) }); err != nil {
			return err
		}
	}
	return nil
}

func (r *Restore) applyOne(ctx context.Context, report provisioner.Report, agreed Change) error {
	now, err := r.review(ctx, agreed.original)
	switch {
	case err != nil:
		return err
	case now.Action == Same: // an earlier try of this very step has applied it
		return nil
	case now.Action == Refuse, now.Action == Leave:
		return fault.Newf(fault.Conflict, "restore "+agreed.Object.ID(), "%s", now.Reason)
	case !r.isAgreed(now, agreed):
		return fault.Newf(fault.Conflict, "restore "+agreed.Object.ID(), "it was changed since the difference was shown").WithHint("the same command shows the difference now")
	}
	if err := r.clients.Cluster.RestoreObject(ctx, now.Object); err != nil {
		return err
	}
	action := state.Updated
	if now.Action == Create {
		action = state.Created
	}
	report.EmitObject(agreed.Object.Kind.FormatOne(), agreed.Object.QualifiedName(), "", string(action))
	return nil
}

// isAgreed reports whether a change is the one that was shown. In a namespace that is restored, too, controllers have created some objects.
func (r *Restore) isAgreed(now, agreed Change) bool {
	if now.Action == agreed.Action {
		return slices.Equal(now.Fields, agreed.Fields)
	}
	return agreed.Action == Create && r.namespaces[agreed.Object.Namespace]
}

// compareAgain requires that the cluster has what was applied. What a controller has changed back meanwhile is said.
func (r *Restore) compareAgain(ctx context.Context, report provisioner.Report) error {
	return r.repeat(ctx, report, func(ctx context.Context) error {
		for _, change := range r.changes {
			if change.Action != Create && change.Action != Update {
				continue
			}
			now, err := r.review(ctx, change.original)
			if err != nil {
				return err
			}
			if now.Action != Same {
				return fault.Newf(fault.Conflict, opRestore, "%s differs from the backup again: something in the cluster changes it", change.Object.ID()).
					WithHint("the same command shows the difference, and who owns the fields")
			}
		}
		return nil
	})
}

// repeat repeats what is safe to repeat while the API does not answer.
func (r *Restore) repeat(ctx context.Context, report provisioner.Report, do func(context.Context) error) error {
	var failure error
	wait := provisioner.PollUntil(r.clients.Clock, pollInterval, answerLimit, func(ctx context.Context, _ provisioner.Report) error {
		if failure = do(ctx); fault.Is(failure, fault.Transient) || fault.Is(failure, fault.Timeout) {
			return failure
		}
		return nil
	})
	if err := wait(ctx, report); err != nil {
		return err
	}
	return failure
}
