package syn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// KindCluster is the kind of a Lieutenant cluster in events.
const KindCluster = "lieutenant-cluster"

const tenantField = "syn.tenant"

// registration registers the cluster in Lieutenant, and knows it and its tenant.
type registration struct {
	spec    state.Spec
	facts   *state.FactsStore
	clock   provisioner.Clock
	session *session
	started func(context.Context) (bool, error) // whether the cloud has any machine of the cluster

	trustToken bool // whatever its age

	tenant  state.SynTenant
	cluster state.SynCluster
}

func (r *registration) check(ctx context.Context, report provisioner.Report) error {
	lieutenant, err := r.session.signInLieutenant(ctx, report)
	if err != nil {
		return err
	}
	if r.tenant, err = lieutenant.GetTenant(ctx, r.spec.Syn.Tenant); err != nil {
		return fault.AttachField(err, tenantField, fault.NotFound)
	}
	found, err := lieutenant.GetCluster(ctx, r.spec.Cluster.ID)
	switch {
	case fault.Is(err, fault.NotFound) && !r.facts.Get().Syn.Applied.IsZero():
		return fault.New(fault.Conflict, "find the cluster in Lieutenant", err).
			WithHint("Steward runs on this cluster, but Lieutenant no longer has it: ask the operator of Lieutenant")
	case fault.Is(err, fault.NotFound):
		r.cluster = r.buildCluster()
		report.EmitProgress(fmt.Sprintf("%s is free; it must be installed within %s of its registration", r.spec.Cluster.ID, formatHours(tokenLife)))
		return nil
	case err != nil:
		return err
	}
	r.cluster = found
	return r.checkRegistered(report, found)
}

// checkRegistered refuses a foreign cluster, and one whose handover would fail in the end.
func (r *registration) checkRegistered(report provisioner.Report, found state.SynCluster) error {
	const op = "register the cluster in Lieutenant"
	if found.Tenant != r.spec.Syn.Tenant {
		return fault.Newf(fault.Conflict, op, "%s belongs to the tenant %s", found.ID, found.Tenant).
			WithHint("choose another ID, or correct the tenant; nothing was created").WithField(tenantField)
	}
	wanted := r.buildCluster().Facts
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if there := found.Facts[name]; there != "" && there != wanted[name] {
			return fault.Newf(fault.Invalid, op, "Lieutenant has %q for its fact %s, but the answers have %q", there, name, wanted[name]).
				WithHint("if it is another cluster, choose another ID. Otherwise correct the answers, or change the fact in Lieutenant:\n%s", r.formatFactCommand(name, wanted[name])).
				WithField("syn.facts")
		}
	}
	return r.checkToken(report, found, !r.facts.Get().IgnitionCreated.IsZero())
}

func (r *registration) formatFactCommand(name, value string) string {
	body, _ := json.Marshal(map[string]any{"facts": map[string]string{name: value}}) // a string always can be encoded
	return shellescape.QuoteCommand([]string{"curl", "-X", "PATCH", "-H", "Content-Type: application/merge-patch+json", "-d", string(body)}) +
		` -H "Authorization: Bearer $(commodore fetch-token)" ` + shellescape.Quote(strings.TrimSuffix(r.spec.Syn.LieutenantURL, "/")+"/clusters/"+r.spec.Cluster.ID)
}

func (r *registration) buildCluster() state.SynCluster {
	facts := map[string]string{"cloud": "exoscale", "distribution": "openshift4", "region": r.spec.Exoscale.Zone}
	maps.Copy(facts, r.spec.Syn.Facts)
	return state.SynCluster{ID: r.spec.Cluster.ID, Tenant: r.spec.Syn.Tenant, DisplayName: r.spec.Cluster.DisplayName, Facts: facts}
}

func (r *registration) preview() state.Action {
	found := r.cluster
	if found.InstallURL == "" && found.Catalog.URL == "" {
		return state.Created
	}
	for name, value := range r.buildCluster().Facts {
		if found.Facts[name] != value {
			return state.Updated
		}
	}
	return state.Found
}

func (r *registration) ensure(ctx context.Context, report provisioner.Report) error {
	lieutenant, err := r.session.signInLieutenant(ctx, report)
	if err != nil {
		return err
	}
	// It did not exist during the checks, or Lieutenant's operator has not processed it yet. If it exists now, an answer
	// was lost.
	young := r.cluster.ID != "" && r.cluster.Catalog.URL == ""
	cluster, action, err := lieutenant.EnsureCluster(ctx, r.buildCluster())
	if err != nil && action == state.Created {
		err = errors.Join(err, r.facts.UpdateSyn(func(facts *state.SynFacts) { facts.Created = now(r.clock) }))
	}
	if err != nil {
		return err
	}
	r.cluster = cluster
	report.EmitObject(KindCluster, cluster.ID, "", string(action))
	err = r.facts.UpdateSyn(func(facts *state.SynFacts) {
		facts.Lieutenant, facts.Tenant, facts.Catalog = r.spec.Syn.LieutenantURL, cluster.Tenant, cluster.Catalog.Redacted()
		if action == state.Created || young && facts.Created.IsZero() {
			facts.Created = now(r.clock)
		}
	})
	if err != nil {
		return err
	}
	if err := r.checkRegistered(report, cluster); err != nil {
		return err
	}
	return r.setInitialFacts(ctx, lieutenant)
}

// The cluster will report these facts itself later, but its configuration cannot be compiled without them.
func (r *registration) setInitialFacts(ctx context.Context, lieutenant Lieutenant) error {
	facts, err := parseVersionFacts(r.facts.Get().OpenShiftVersion)
	if err != nil {
		return err
	}
	_, err = lieutenant.EnsureDynamicFacts(ctx, r.spec.Cluster.ID, facts)
	return err
}

// Kubernetes' minor version is OpenShift's plus 13, e.g. for 4.21.3.
func parseVersionFacts(version string) (map[string]any, error) {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, found := strings.Cut(rest, ".")
	number, err := strconv.Atoi(minor)
	if err != nil || !found {
		return nil, fault.Newf(fault.Internal, "report the cluster's version to Lieutenant", "%q is not a version", version)
	}
	return map[string]any{
		"kubernetesVersion": map[string]any{"major": "1", "minor": strconv.Itoa(number + 13)},
		"openshiftVersion":  map[string]any{"Major": major, "Minor": minor},
	}, nil
}

// The cluster's own Steward reports its facts, which replace the initial ones.
func (r *registration) waitReported() provisioner.StepFunc {
	return withHint("wait for the cluster's facts in Lieutenant",
		"check the log of the Deployment steward in the namespace syn, then run again", provisioner.PollUntil(r.clock, synthesisEvery, limitSynthesis, func(ctx context.Context, report provisioner.Report) error {
			lieutenant, err := r.session.signInLieutenant(ctx, report)
			if err != nil {
				return err
			}
			cluster, err := lieutenant.GetCluster(ctx, r.spec.Cluster.ID)
			if err != nil {
				return err
			}
			if missing := listUnreported(cluster); missing != "" {
				return fmt.Errorf("the cluster's Steward has not reported to Lieutenant: no %s yet", missing)
			}
			return nil
		}))
}

// Only Steward reports these facts.
func listUnreported(cluster state.SynCluster) string {
	kubernetes, _ := cluster.DynamicFacts["kubernetesVersion"].(map[string]any)
	openshift, _ := cluster.DynamicFacts["openshiftVersion"].(map[string]any)
	switch {
	case cluster.Catalog.DeployKey == "":
		return "key for the catalog's repository"
	case kubernetes["gitVersion"] == nil:
		return "version of Kubernetes"
	case openshift["Patch"] == nil:
		return "version of OpenShift"
	}
	return ""
}
