package syn

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// Unproven is something that the folder lost and that nothing proves to be this installation's: it is left alone.
type Unproven struct {
	Text string
	Next string // what to do about it
}

// recovery restores the facts of a connection. It changes them in memory, and otherwise only the folder's copy of the
// catalog.
type recovery struct {
	spec         state.Spec
	folder       state.Folder
	facts        *state.FactsStore
	clock        provisioner.Clock
	session      *session
	registration *registration
	secrets      *secrets
	catalog      *Catalog
	gitOps       GitOps

	report   provisioner.Report
	unproven []Unproven
}

// Recover restores the facts about Project Syn from Lieutenant, Vault, the tenant's configuration and the cluster. A value
// counts as this installation's if this folder would write the same; any other is returned. Known facts stay.
func (c *Connection) Recover(ctx context.Context, report provisioner.Report) ([]Unproven, error) {
	if !c.IsConnected() {
		return nil, nil
	}
	known := c.Facts.Get().Syn
	r := &recovery{
		spec: c.Spec, folder: c.Folder, facts: c.Facts, clock: c.Clock, session: c.session, registration: c.registration,
		secrets: c.secrets, catalog: c.Catalog, gitOps: c.clients.Cluster, report: report,
	}
	err := r.recover(ctx)
	if fault.Is(err, fault.Waiting) && !known.Applied.IsZero() && known.SSHPublicKey != "" && len(known.Written) > 0 {
		c.session.signedOut = true // a run needs nothing else of what only Project Syn knows
		return nil, nil
	}
	return r.unproven, err
}

func (r *recovery) recover(ctx context.Context) error {
	lieutenant, err := r.session.signInLieutenant(ctx, r.report)
	if err != nil {
		return err
	}
	vault, err := r.session.signInVault(ctx, r.report)
	if err != nil {
		return err
	}
	found, err := lieutenant.GetCluster(ctx, r.spec.Cluster.ID)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil
	case err != nil:
		return err
	case found.Tenant != r.spec.Syn.Tenant:
		r.reject(fmt.Sprintf("%s belongs to the tenant %s in Lieutenant, but the answers have %s", found.ID, found.Tenant, r.spec.Syn.Tenant),
			"restore the answers of this cluster, then run again")
		return nil
	}
	r.registration.cluster = found
	if r.registration.tenant, err = lieutenant.GetTenant(ctx, r.spec.Syn.Tenant); err != nil {
		return err
	}
	if err := r.recoverWritten(ctx, vault); err != nil {
		return err
	}
	ours, err := r.catalog.hasIdentity(ctx)
	if err != nil {
		return err
	}
	return r.recoverConnection(ctx, ours)
}

func (r *recovery) reject(text, next string) {
	r.unproven = append(r.unproven, Unproven{Text: text, Next: next})
}

// recoverWritten restores the SSH key and the values that the cluster's configuration may hold.
func (r *recovery) recoverWritten(ctx context.Context, vault Vault) error {
	before := r.facts.Get()
	public, err := r.secrets.readSSHKey(ctx, vault)
	switch {
	case fault.Is(err, fault.Conflict):
		r.reject(err.Error(), fault.HintOf(err))
	case err != nil && !fault.Is(err, fault.NotFound):
		return err
	}
	err = r.facts.UpdateSyn(func(facts *state.SynFacts) {
		if public != "" {
			facts.SSHPublicKey = public
		}
		if facts.ClusterUUID != "" {
			facts.RecordGenerated(state.Ignition{InfraID: before.InfraID, ClusterID: facts.ClusterUUID, RootCA: []byte(facts.IgnitionCA)})
		}
	})
	if err != nil {
		return err
	}
	conflicts, err := r.catalog.listConflicts(ctx)
	if err != nil {
		return err
	}
	for _, conflict := range conflicts {
		r.reject(conflict.err.Error(), fault.HintOf(conflict.err))
		if public != "" && conflict.edit.Value == public {
			err = r.facts.UpdateSyn(func(facts *state.SynFacts) { facts.SSHPublicKey = before.Syn.SSHPublicKey })
		}
	}
	return err
}

// recoverConnection restores how far the cluster was handed over. ours is the result of hasIdentity.
func (r *recovery) recoverConnection(ctx context.Context, ours bool) error {
	seen, unseen := r.gitOps.GetSynthesis(ctx)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	installed := unseen == nil && seen.Steward.Health != "Missing"
	reported := r.registration.cluster.Catalog.DeployKey != ""
	switch facts := r.facts.Get().Syn; {
	case installed, reported && ours, !facts.Applied.IsZero():
		if err := r.recoverApplied(ctx, seen, ours); err != nil {
			return err
		}
		r.rejectKubeconfig(unseen)
	case reported && fault.Is(unseen, fault.Transient):
		return fault.New(fault.Transient, "check which cluster the reporting Steward belongs to", unseen).
			WithHint("check that api.%s:6443 is reachable from here, then run again", r.spec.Domain())
	case reported:
		r.reject(fmt.Sprintf("a Steward has reported for %s to Lieutenant, and nothing proves that it belongs to this cluster", r.spec.Cluster.ID),
			"choose another ID; if the other cluster no longer exists, have it deleted in Lieutenant")
		return nil
	case !ours && facts.Created.IsZero() && facts.Tenant == "" && !r.hasManifest():
		r.reject(fmt.Sprintf("Lieutenant already has %s, and nothing proves that this installation registered it", r.spec.Cluster.ID),
			"run exoshift install again, which adopts the registration; to destroy the cluster instead, have it deleted in Lieutenant")
		return nil
	case r.hasManifest():
		if err := r.facts.UpdateSyn(func(facts *state.SynFacts) { setTime(&facts.ManifestUsed, now(r.clock)) }); err != nil {
			return err
		}
	}
	return r.recoverRegistration(ctx)
}

// hasManifest reports whether the folder keeps what Steward is installed from.
func (r *recovery) hasManifest() bool {
	_, err := r.folder.Read(state.StewardFile)
	return err == nil
}

// setTime sets a time that is unknown.
func setTime(at *time.Time, now time.Time) {
	if at.IsZero() {
		*at = now
	}
}

// recoverApplied restores what came after Steward. The configuration shows whether alerts routed to on-call. The
// first maintenance comes before that, so it must not be repeated then.
func (r *recovery) recoverApplied(ctx context.Context, seen state.SynStatus, ours bool) (err error) {
	alerting := false
	if ours {
		if alerting, err = r.catalog.holds(ctx, state.YAMLEdit{Path: []string{"classes"}, Item: noOpsgenie, Remove: true}); err != nil {
			return err
		}
	}
	window := r.registration.cluster.Facts[windowFact]
	scheduled := window != "" && window != customWindow
	account := r.findAccount(ctx)
	err = r.facts.UpdateSyn(func(facts *state.SynFacts) {
		setTime(&facts.Applied, now(r.clock))
		setTime(&facts.ManifestUsed, facts.Applied)
		if checkSynthesis(seen) == nil {
			setTime(&facts.Synthesized, now(r.clock))
		}
		if alerting {
			setTime(&facts.OnCall, now(r.clock))
		}
		if alerting && scheduled {
			setTime(&facts.Maintained, now(r.clock))
		}
		facts.ACME = cmp.Or(facts.ACME, account)
	})
	if err != nil || !scheduled || !r.facts.Get().Syn.Maintained.IsZero() {
		return err
	}
	if maintenance, err := r.gitOps.GetMaintenance(ctx); err != nil || maintenance.State == "" {
		r.reject("it is not known whether the first maintenance has run: the next run starts it immediately",
			"run exoshift install at a time when its nodes can restart")
	}
	return nil
}

// findAccount returns the target of the _acme-challenge records; "" leaves it to the next run.
func (r *recovery) findAccount(ctx context.Context) string {
	if !r.spec.DNS.ACME {
		return ""
	}
	registration, err := r.gitOps.GetACMERegistration(ctx)
	if err != nil {
		return ""
	}
	return registration.FullDomain
}

// rejectKubeconfig reports that the cluster refuses the folder's kubeconfig, as it does after emergency-access
// --invalidate.
func (r *recovery) rejectKubeconfig(unseen error) {
	if fault.Is(unseen, fault.Denied) && r.facts.Get().Syn.AdminInvalidated.IsZero() {
		r.reject("it is not known whether the administrator's kubeconfig was invalidated; the cluster rejects it: "+unseen.Error(),
			"if it was invalidated, exoshift emergency-access --kubeconfig FILE --invalidate records that again")
	}
}

// recoverRegistration restores the registration in Lieutenant and the commit of the catalog.
func (r *recovery) recoverRegistration(ctx context.Context) error {
	err := r.facts.UpdateSyn(func(facts *state.SynFacts) {
		facts.Lieutenant, facts.Tenant, facts.Catalog = r.spec.Syn.LieutenantURL, r.registration.cluster.Tenant, r.registration.cluster.Catalog.Redacted()
	})
	if facts := r.facts.Get().Syn; err != nil || facts.ClusterUUID == "" || facts.Commit != "" {
		return err
	}
	if err := r.catalog.fetch(ctx, r.report); err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	return nil
}
