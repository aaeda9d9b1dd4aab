package install

import (
	"context"
	"fmt"
	"maps"
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
		progress(report, fmt.Sprintf("%s is free; from its registration on there are %s to install it", i.spec.Cluster.ID, tokenLife))
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
	const op = "check the cluster's bootstrap token"
	facts := i.Facts().Syn
	switch {
	case !facts.ManifestUsed.IsZero():
		return nil
	case found.Catalog.DeployKey != "":
		return fault.Newf(fault.Conflict, op, "a Steward has reported for %s: the cluster runs already", found.ID).
			WithHint("give this cluster another ID; if the other one is gone, have it deleted in Lieutenant").About("cluster.id")
	case found.InstallURL == "":
		return fault.Newf(fault.Conflict, op, "it was used, or its %s are over", tokenLife).
			WithHint("ask those who run Lieutenant to reset the bootstrap token of %s, then run again", found.ID)
	case facts.Created.IsZero():
		progress(report, fmt.Sprintf("%s is registered, and its bootstrap token is valid: until %s after its registration, unless it was given another life", found.ID, tokenLife))
		return nil
	}
	left := facts.Created.Add(tokenLife).Sub(i.world.Clock.Now()).Round(time.Minute)
	progress(report, fmt.Sprintf("%s is registered; its bootstrap token is valid for %s", found.ID, left))
	return nil
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
