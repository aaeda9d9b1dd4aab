package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/app/environment"
	"exoshift/internal/fault"
	"exoshift/provisioner/install/syn"
	"exoshift/provisioner/syn/lieutenant"
	"exoshift/state"
	"exoshift/wizard"
)

const (
	lieutenantField = "syn.lieutenantURL"
	tenantField     = "syn.tenant"
)

// synLookups asks Project Syn. They never start a sign-in: the user does.
type synLookups struct {
	environment environment.Environment
	simulated   bool // the simulated browser signs in by itself
}

func (c synLookups) list() []wizard.Lookup {
	connected := func(spec state.Spec) bool { return spec.Syn.LieutenantURL != "" }
	return []wizard.Lookup{
		{ID: "tenants", Title: "Lieutenant", Screen: wizard.Syn, When: connected, Keys: []string{lieutenantField}, Run: c.lookupTenants},
		{ID: "registration", Title: "Registration", Screen: wizard.Syn, When: connected,
			Keys: []string{lieutenantField, tenantField, idField, zoneField}, Run: c.lookupRegistration},
	}
}

// connectLieutenant also reports whether the user is signed in.
func (c synLookups) connectLieutenant(ctx context.Context, spec state.Spec) (client *lieutenant.Client, signedIn bool, err error) {
	net, err := c.environment.OpenNetwork(ctx, zoneOrDefault(spec))
	if err != nil {
		return nil, false, err
	}
	access, err := c.environment.OpenAccess(ctx, zoneOrDefault(spec))
	if err != nil {
		return nil, false, err
	}
	var show syn.Show
	if c.simulated {
		show = access.Show // the simulated browser
	}
	client = access.NewLieutenantClient(net, spec.Syn.LieutenantURL)
	err = client.SignIn(ctx, show)
	if fault.Is(err, fault.Waiting) || fault.Is(err, fault.Denied) {
		return client, false, nil
	}
	return client, err == nil, err
}

func newSignInRequired() wizard.LookupResult {
	return wizard.LookupResult{Pending: true, Summary: "nobody is signed in; sign in to choose from your tenants"}
}

// lookupTenants also identifies the server at the URL.
func (c synLookups) lookupTenants(ctx context.Context, spec state.Spec, _ wizard.Secrets) (wizard.LookupResult, error) {
	net, err := c.environment.OpenNetwork(ctx, zoneOrDefault(spec))
	if err != nil {
		return wizard.LookupResult{}, err
	}
	if _, err := lieutenant.New(net, spec.Syn.LieutenantURL, nil).Discover(ctx); fault.Is(err, fault.Invalid) || fault.Is(err, fault.NotFound) {
		return wizard.LookupResult{Summary: "this is no Lieutenant", Problems: toProblems(lieutenantField, err)}, nil
	} else if err != nil {
		return wizard.LookupResult{}, err
	}
	client, signedIn, err := c.connectLieutenant(ctx, spec)
	if err != nil {
		return wizard.LookupResult{}, err
	}
	if !signedIn {
		return newSignInRequired(), nil
	}
	all, err := client.ListTenants(ctx)
	if err != nil {
		return wizard.LookupResult{}, err
	}
	slices.SortFunc(all, func(a, b state.SynTenant) int { return cmp.Compare(a.ID, b.ID) })
	reply := wizard.LookupResult{Summary: fmt.Sprintf("signed in; %d tenants", len(all)), Choices: map[string][]wizard.Choice{}}
	if len(all) == 1 {
		reply.Summary = "signed in; 1 tenant"
	}
	for _, tenant := range all {
		reply.Choices[tenantField] = append(reply.Choices[tenantField], wizard.Choice{Value: tenant.ID, Note: tenant.DisplayName})
	}
	return reply, nil
}

func (c synLookups) lookupRegistration(ctx context.Context, spec state.Spec, _ wizard.Secrets) (wizard.LookupResult, error) {
	client, signedIn, err := c.connectLieutenant(ctx, spec)
	if err != nil || !signedIn {
		return wizard.LookupResult{Pending: true, Summary: "somebody has to sign in first"}, err
	}
	tenant, err := client.GetTenant(ctx, spec.Syn.Tenant)
	if fault.Is(err, fault.NotFound) {
		return wizard.LookupResult{Summary: "no such tenant", Problems: []wizard.Problem{{
			Field: tenantField, Message: "Lieutenant shows you no tenant " + spec.Syn.Tenant, Allowed: "one of your tenants",
		}}}, nil
	}
	if err != nil {
		return wizard.LookupResult{}, err
	}
	clusters, err := client.ListClusters(ctx, tenant.ID)
	if err != nil {
		return wizard.LookupResult{}, err
	}
	reply := wizard.LookupResult{Choices: listAdoptable(clusters)}
	found, err := client.GetCluster(ctx, spec.Cluster.ID)
	switch {
	case fault.Is(err, fault.NotFound):
		reply.Summary = spec.Cluster.ID + " is free, and will be registered for " + cmp.Or(tenant.DisplayName, tenant.ID)
		return reply, nil
	case err != nil:
		return wizard.LookupResult{}, err
	}
	if reply.Problems = checkRegistration(found, spec); len(reply.Problems) > 0 {
		reply.Summary = "the cluster cannot be taken over"
		return reply, nil
	}
	reply.Summary = spec.Cluster.ID + " is registered and not installed yet: it is taken over"
	return reply, nil
}

// listAdoptable returns registered clusters that are not installed yet, by tenant.
func listAdoptable(clusters []state.SynCluster) map[string][]wizard.Choice {
	var choices []wizard.Choice
	for _, cluster := range clusters {
		if cluster.InstallURL != "" && cluster.Catalog.DeployKey == "" {
			choices = append(choices, wizard.Choice{Value: cluster.ID, Note: strings.TrimPrefix(cluster.DisplayName+", registered and not installed yet", ", ")})
		}
	}
	if len(choices) == 0 {
		return nil
	}
	return map[string][]wizard.Choice{idField: choices}
}

// checkRegistration reports why a registered cluster cannot be installed with these answers.
func checkRegistration(found state.SynCluster, spec state.Spec) []wizard.Problem {
	switch {
	case found.Tenant != spec.Syn.Tenant:
		return []wizard.Problem{{Field: idField, Message: "in Lieutenant, the cluster of that ID belongs to " + found.Tenant, Allowed: "another ID, or that tenant"}}
	case found.Catalog.DeployKey != "":
		return []wizard.Problem{{Field: idField, Message: "a cluster of that ID runs, and reports to Lieutenant", Allowed: "another ID"}}
	case found.InstallURL == "" && found.Catalog.URL != "": // Lieutenant's operator sets both shortly after the registration
		return []wizard.Problem{{Field: idField, Message: "the token by which the cluster would be connected was used, or has ended",
			Hint: "ask those who run Lieutenant to reset the bootstrap token of " + found.ID}}
	}
	if region := found.Facts["region"]; region != "" && region != spec.Exoscale.Zone {
		return []wizard.Problem{{Field: idField, Message: "in Lieutenant, the cluster of that ID is to be in " + region, Allowed: "another ID, or the zone " + region}}
	}
	return nil
}

func (c synLookups) signIn(ctx context.Context, spec state.Spec, show func(page string)) error {
	net, err := c.environment.OpenNetwork(ctx, zoneOrDefault(spec))
	if err != nil {
		return err
	}
	access, err := c.environment.OpenAccess(ctx, zoneOrDefault(spec))
	if err != nil {
		return err
	}
	lead := func(ctx context.Context, page string) error {
		show(page)
		if c.simulated && access.Show != nil {
			return access.Show(ctx, page)
		}
		return nil
	}
	if err := access.NewLieutenantClient(net, spec.Syn.LieutenantURL).SignIn(ctx, lead); err != nil {
		return err
	}
	return access.OpenVaultClient(net, spec.Syn).SignIn(ctx, lead)
}
