package install

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// tokenLife is how long a cluster's bootstrap token lives unless Lieutenant was told otherwise.
const tokenLife = 24 * time.Hour

// kindSynCluster is a cluster in Lieutenant, as events call it.
const kindSynCluster = "lieutenant-cluster"

const tenantField = "syn.tenant"

// askLieutenant finds out before any money is spent whether the cluster can be registered and handed over.
func (i *Installation) askLieutenant(ctx context.Context, report provisioner.Report) error {
	lieutenant, err := i.lieutenant(ctx, report)
	if err != nil {
		return err
	}
	if i.syn.tenant, err = lieutenant.Tenant(ctx, i.spec.Syn.Tenant); err != nil {
		return blame(err, tenantField, fault.NotFound)
	}
	found, err := lieutenant.Cluster(ctx, i.spec.Cluster.ID)
	switch {
	case fault.Is(err, fault.NotFound) && !i.Facts().Syn.Applied.IsZero():
		return fault.New(fault.Conflict, "find the cluster in Lieutenant", err).
			WithHint("Steward runs on this cluster, and Lieutenant no longer knows it: ask those who run Lieutenant")
	case fault.Is(err, fault.NotFound):
		i.syn.cluster = i.wantedCluster()
		progress(report, fmt.Sprintf("%s is free; from its registration on there are %s to install it", i.spec.Cluster.ID, hours(tokenLife)))
		return nil
	case err != nil:
		return err
	}
	i.syn.cluster = found
	return i.checkRegistered(report, found)
}

// checkRegistered refuses a cluster that is somebody else's, and one that could not be handed over in the end.
func (i *Installation) checkRegistered(report provisioner.Report, found state.SynCluster) error {
	const op = "register the cluster in Lieutenant"
	if found.Tenant != i.spec.Syn.Tenant {
		return fault.Newf(fault.Conflict, op, "%s belongs to the tenant %s", found.ID, found.Tenant).
			WithHint("give the cluster another ID, or correct the tenant; nothing was created").About(tenantField)
	}
	for name, wanted := range i.wantedCluster().Facts {
		if there := found.Facts[name]; there != "" && there != wanted {
			return fault.Newf(fault.Conflict, op, "Lieutenant has %q for its fact %s, and the answers say %q", there, name, wanted).
				WithHint("give the cluster another ID, correct the answers, or have the fact changed in Lieutenant").About("syn.facts")
		}
	}
	return i.checkToken(report, found)
}

// checkToken makes sure that Steward can still be installed: that works once, within a day of the registration.
func (i *Installation) checkToken(report provisioner.Report, found state.SynCluster) error {
	facts := i.Facts().Syn
	switch {
	case !facts.ManifestUsed.IsZero():
		return nil
	case found.Catalog.DeployKey != "":
		return fault.Newf(fault.Conflict, opToken, "a Steward has reported for %s: the cluster runs already", found.ID).
			WithHint("give this cluster another ID; if the other one is gone, have it deleted in Lieutenant").About("cluster.id")
	case found.Catalog.URL == "": // Lieutenant's operator gives it both
		progress(report, found.ID+" was registered a moment ago")
		return nil
	case found.InstallURL == "" && !i.Facts().IgnitionCreated.IsZero():
		// what machines have started with lives for a day only, so they go on; whether there are any is looked at before the first
		progress(report, fmt.Sprintf("the bootstrap token of %s was used, or its %s are over: have those who run Lieutenant reset it meanwhile", found.ID, hours(tokenLife)))
		return nil
	case found.InstallURL == "":
		return i.tokenEnded()
	case facts.Created.IsZero():
		progress(report, fmt.Sprintf("%s is registered, and its bootstrap token is valid: until %s after its registration, unless it was given another life", found.ID, hours(tokenLife)))
		return nil
	}
	progress(report, fmt.Sprintf("%s is registered; its bootstrap token is valid%s", found.ID, remaining(facts.Created.Add(tokenLife).Sub(i.world.Clock.Now()))))
	return nil
}

const opToken = "check the cluster's bootstrap token"

func (i *Installation) tokenEnded() error {
	return fault.Newf(fault.Conflict, opToken, "it was used, or its %s are over", hours(tokenLife)).
		WithHint("ask those who run Lieutenant to reset the bootstrap token of %s, then run again", i.spec.Cluster.ID)
}

// remaining says how long a token is valid that has this much of its usual life left. Lieutenant tells no end, and may
// give tokens another life.
func remaining(left time.Duration) string {
	const needed = 2 * time.Hour // of an installation until it uses the token
	switch {
	case left <= 0:
		return fmt.Sprintf(" although its usual %s are over: it may end at any time; if it does, those who run Lieutenant can reset it", hours(tokenLife))
	case left < needed:
		return fmt.Sprintf(" for about %s, and the installation may take longer: if it ends before, those who run Lieutenant can reset it", minutes(left))
	}
	return fmt.Sprintf(" for about %s", minutes(left))
}

// checkTokenAgain looks right before the first machine: until then days may have gone by, as people delegate the domain.
func (i *Installation) checkTokenAgain(ctx context.Context, report provisioner.Report) error {
	if !i.Facts().Syn.ManifestUsed.IsZero() {
		return provisioner.Skip("it was used by an earlier run")
	}
	lieutenant, err := i.lieutenant(ctx, report)
	if err != nil {
		return err
	}
	found, err := lieutenant.Cluster(ctx, i.spec.Cluster.ID)
	if err != nil {
		return err
	}
	machines, err := i.world.Cloud.Instances(ctx, i.labels())
	if err != nil {
		return err
	}
	if found.InstallURL == "" && len(machines) == 0 {
		return i.tokenEnded()
	}
	return i.checkToken(report, found)
}

// wantedCluster is what Lieutenant is told about the cluster.
func (i *Installation) wantedCluster() state.SynCluster {
	facts := map[string]string{"cloud": "exoscale", "distribution": "openshift4", "region": i.spec.Exoscale.Zone}
	maps.Copy(facts, i.spec.Syn.Facts)
	return state.SynCluster{ID: i.spec.Cluster.ID, Tenant: i.spec.Syn.Tenant, DisplayName: i.spec.Cluster.DisplayName, Facts: facts}
}

func (i *Installation) checkVault(ctx context.Context, report provisioner.Report) error {
	vault, err := i.vault(ctx, report)
	if err != nil {
		return err
	}
	return vault.Check(ctx, i.vaultPath(""))
}

// minutes is a time to the minute, e.g. 1h12m.
func minutes(d time.Duration) string {
	text := strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	if strings.HasSuffix(text, "h0m") {
		return strings.TrimSuffix(text, "0m")
	}
	return text
}

// hours is a time in whole hours, as people say it.
func hours(d time.Duration) string { return fmt.Sprintf("%d hours", int(d.Hours())) }
