package install

import (
	"context"
	"time"

	"exoshift/provisioner"
	"exoshift/provisioner/install/operators"
	"exoshift/provisioner/install/syn"
	"exoshift/state"
)

// Recovered is the state of an installation whose folder was lost, as found in the cloud and the cluster.
type Recovered struct {
	Facts    state.Facts
	Objects  []Change       // of the cluster that exist
	Existing []state.Object // everything that the organization has
	Unproven []syn.Unproven // what nothing proves to be this installation's, and was left alone
}

// Recover restores the facts of an installation, as far as they can be found in the cloud and in Project Syn. It runs the
// steps of an installation with clients that read and change nothing; known are the facts that the folder still has.
func Recover(ctx context.Context, spec state.Spec, options Options, folder state.Folder, world Clients, known state.Facts) (Recovered, error) {
	i := newInstallation(spec, options, folder, world, known, nil)
	if err := i.image.Recover(ctx); err != nil {
		return Recovered{}, err
	}
	if err := i.bootstrap.Recover(ctx); err != nil {
		return Recovered{}, err
	}
	var unproven []syn.Unproven
	preview, err := i.runPreview(ctx, func(*Preview) provisioner.StepFunc {
		return func(ctx context.Context, report provisioner.Report) (err error) {
			unproven, err = i.syn.Recover(ctx, report)
			return err
		}
	})
	if err != nil {
		return Recovered{}, err
	}
	recovered := Recovered{Facts: i.Facts(), Existing: i.inventory.Objects(), Unproven: unproven}
	if recovered.Facts.Installed.IsZero() { // Steward comes after the cluster version
		recovered.Facts.Installed = recovered.Facts.Syn.Applied
	}
	if facts := &recovered.Facts; facts.RouterProtocol == "" && !facts.BootstrapRemoved.IsZero() {
		facts.RouterProtocol = operators.FormatProtocol(spec) // the answers in force; the next run tells the routers anyway
	}
	for _, change := range preview.Changes {
		if change.Action == state.Found || change.Action == state.Updated {
			recovered.Objects = append(recovered.Objects, change)
		}
	}
	return recovered, nil
}

// ApplyEvents sets the facts that the events of earlier runs prove: the time at which a step succeeded first, or an
// object was created.
func ApplyEvents(events []provisioner.Event, facts *state.Facts) {
	done := map[string]time.Time{}
	for _, e := range events {
		if e.Type == provisioner.TypeStep && e.State == provisioner.Done && done[e.Step].IsZero() {
			done[e.Step] = e.Time
		}
		if e.Type == provisioner.TypeObject && e.Kind == syn.KindCluster && e.Action == string(state.Created) && facts.Syn.Created.IsZero() {
			facts.Syn.Created = e.Time.UTC().Truncate(time.Second)
		}
	}
	for step, fact := range map[string]*time.Time{
		"remove-bootstrap": &facts.BootstrapRemoved, "console": &facts.Installed,
		"steward": &facts.Syn.Applied, "synthesis": &facts.Syn.Synthesized, "first-maintenance": &facts.Syn.Maintained, "on-call": &facts.Syn.OnCall,
	} {
		if at := done[step]; fact.IsZero() && !at.IsZero() {
			*fact = at.UTC().Truncate(time.Second)
		}
	}
	if facts.Syn.ManifestUsed.IsZero() {
		facts.Syn.ManifestUsed = facts.Syn.Applied
	}
}
