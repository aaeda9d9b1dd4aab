package syn

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// KindCluster is the kind of a Lieutenant cluster in events.
const KindCluster = "lieutenant-cluster"

const tenantField = "syn.tenant"

func (c *Connection) checkLieutenant(ctx context.Context, report provisioner.Report) error {
	lieutenant, err := c.signInLieutenant(ctx, report)
	if err != nil {
		return err
	}
	if c.tenant, err = lieutenant.GetTenant(ctx, c.Spec.Syn.Tenant); err != nil {
		return fault.AttachField(err, tenantField, fault.NotFound)
	}
	found, err := lieutenant.GetCluster(ctx, c.Spec.Cluster.ID)
	switch {
	case fault.Is(err, fault.NotFound) && !c.Facts.Get().Syn.Applied.IsZero():
		return fault.New(fault.Conflict, "find the cluster in Lieutenant", err).
			WithHint("Steward runs on this cluster, and Lieutenant no longer knows it: ask those who run Lieutenant")
	case fault.Is(err, fault.NotFound):
		c.cluster = c.buildCluster()
		report.EmitProgress(fmt.Sprintf("%s is free; from its registration on there are %s to install it", c.Spec.Cluster.ID, formatHours(tokenLife)))
		return nil
	case err != nil:
		return err
	}
	c.cluster = found
	return c.checkRegistered(report, found)
}

// checkRegistered refuses a foreign cluster, and one whose handover would fail in the end.
func (c *Connection) checkRegistered(report provisioner.Report, found state.SynCluster) error {
	const op = "register the cluster in Lieutenant"
	if found.Tenant != c.Spec.Syn.Tenant {
		return fault.Newf(fault.Conflict, op, "%s belongs to the tenant %s", found.ID, found.Tenant).
			WithHint("give the cluster another ID, or correct the tenant; nothing was created").WithField(tenantField)
	}
	wanted := c.buildCluster().Facts
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if there := found.Facts[name]; there != "" && there != wanted[name] {
			return fault.Newf(fault.Invalid, op, "Lieutenant has %q for its fact %s, and the answers say %q", there, name, wanted[name]).
				WithHint("if it is another cluster, give this one another ID. Otherwise correct the answers, or change the fact in Lieutenant:\n%s", c.formatFactCommand(name, wanted[name])).
				WithField("syn.facts")
		}
	}
	return c.checkToken(report, found)
}

func (c *Connection) formatFactCommand(name, value string) string {
	body, _ := json.Marshal(map[string]any{"facts": map[string]string{name: value}}) // a string always can be encoded
	return shellescape.QuoteCommand([]string{"curl", "-X", "PATCH", "-H", "Content-Type: application/merge-patch+json", "-d", string(body)}) +
		` -H "Authorization: Bearer $(commodore fetch-token)" ` + shellescape.Quote(strings.TrimSuffix(c.Spec.Syn.LieutenantURL, "/")+"/clusters/"+c.Spec.Cluster.ID)
}

func (c *Connection) buildCluster() state.SynCluster {
	facts := map[string]string{"cloud": "exoscale", "distribution": "openshift4", "region": c.Spec.Exoscale.Zone}
	maps.Copy(facts, c.Spec.Syn.Facts)
	return state.SynCluster{ID: c.Spec.Cluster.ID, Tenant: c.Spec.Syn.Tenant, DisplayName: c.Spec.Cluster.DisplayName, Facts: facts}
}

func (c *Connection) checkVault(ctx context.Context, report provisioner.Report) error {
	vault, err := c.signInVault(ctx, report)
	if err != nil {
		return err
	}
	if err := vault.Check(ctx, c.joinVaultPath("")); err != nil {
		return err
	}
	report.EmitProgress("the cluster's secrets may be written to " + c.joinVaultPath(""))
	return nil
}
