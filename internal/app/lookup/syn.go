package lookup

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"exoshift/internal/app/environment"
	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/provisioner/install/syn"
	"exoshift/provisioner/syn/lieutenant"
	"exoshift/state"
	"exoshift/wizard"
)

// Keys of answers about Project Syn.
const (
	LieutenantField = "syn.lieutenantURL"
	TenantField     = "syn.tenant"
)

// Syn asks Project Syn. They never start a sign-in: the user does.
type Syn struct {
	Environment environment.Environment
	Simulated   bool // the simulated browser signs in by itself
}

// List returns the look-ups about Project Syn.
func (c Syn) List() []wizard.Lookup {
	connected := func(spec state.Spec) bool { return spec.Syn.LieutenantURL != "" }
	return []wizard.Lookup{
		{ID: "tenants", Title: "Lieutenant", Screen: wizard.Syn, When: connected, Keys: []string{LieutenantField}, Run: c.lookupTenants},
		{ID: "registration", Title: "Registration", Screen: wizard.Syn, When: connected,
			Keys: []string{LieutenantField, TenantField, IDField, zoneField}, Run: c.lookupRegistration},
	}
}

// connectLieutenant also reports whether the user is signed in.
func (c Syn) connectLieutenant(ctx context.Context, spec state.Spec) (client *lieutenant.Client, signedIn bool, err error) {
	net, err := c.Environment.OpenNetwork(ctx, zoneOrDefault(spec))
	if err != nil {
		return nil, false, err
	}
	access, err := c.Environment.OpenAccess(ctx, zoneOrDefault(spec))
	if err != nil {
		return nil, false, err
	}
	var show syn.Show
	if c.Simulated {
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
	return wizard.LookupResult{Pending: true, Summary: "not signed in; sign in to choose from your tenants"}
}

// lookupTenants also identifies the server at the URL.
func (c Syn) lookupTenants(ctx context.Context, spec state.Spec, _ wizard.Secrets) (wizard.LookupResult, error) {
	net, err := c.Environment.OpenNetwork(ctx, zoneOrDefault(spec))
	if err != nil {
		return wizard.LookupResult{}, err
	}
	if _, err := lieutenant.New(net, spec.Syn.LieutenantURL, nil).Discover(ctx); fault.Is(err, fault.Invalid) || fault.Is(err, fault.NotFound) {
		return wizard.LookupResult{Summary: "not a Lieutenant API", Problems: toProblems(LieutenantField, err)}, nil
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
	stable.Sort(all, func(a, b state.SynTenant) int { return cmp.Compare(a.ID, b.ID) })
	reply := wizard.LookupResult{Summary: fmt.Sprintf("signed in; %d tenants", len(all)), Choices: map[string][]wizard.Choice{}}
	if len(all) == 1 {
		reply.Summary = "signed in; 1 tenant"
	}
	for _, tenant := range all {
		reply.Choices[TenantField] = append(reply.Choices[TenantField], wizard.Choice{Value: tenant.ID, Note: tenant.DisplayName})
	}
	return reply, nil
}

func (c Syn) lookupRegistration(ctx context.Context, spec state.Spec, _ wizard.Secrets) (wizard.LookupResult, error) {
	client, signedIn, err := c.connectLieutenant(ctx, spec)
	if err != nil || !signedIn {
		return wizard.LookupResult{Pending: true, Summary: "sign in first"}, err
	}
	tenant, err := client.GetTenant(ctx, spec.Syn.Tenant)
	if fault.Is(err, fault.NotFound) {
		return wizard.LookupResult{Summary: "no such tenant", Problems: []wizard.Problem{{
			Field: TenantField, Message: "Lieutenant does not list the tenant " + spec.Syn.Tenant, Allowed: "one of your tenants",
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
		reply.Summary = spec.Cluster.ID + " is free and will be registered for " + cmp.Or(tenant.DisplayName, tenant.ID)
		return reply, nil
	case err != nil:
		return wizard.LookupResult{}, err
	}
	if reply.Problems = CheckRegistration(found, spec); len(reply.Problems) > 0 {
		reply.Summary = "the cluster cannot be adopted"
		return reply, nil
	}
	reply.Summary = spec.Cluster.ID + " is registered but not installed: it is adopted"
	return reply, nil
}

// listAdoptable returns registered clusters that are not installed yet, by tenant.
func listAdoptable(clusters []state.SynCluster) map[string][]wizard.Choice {
	var choices []wizard.Choice
	for _, cluster := range clusters {
		if cluster.InstallURL != "" && cluster.Catalog.DeployKey == "" {
			choices = append(choices, wizard.Choice{Value: cluster.ID, Note: strings.TrimPrefix(cluster.DisplayName+", registered but not installed", ", ")})
		}
	}
	if len(choices) == 0 {
		return nil
	}
	return map[string][]wizard.Choice{IDField: choices}
}

// CheckRegistration reports why a registered cluster cannot be installed with these answers.
func CheckRegistration(found state.SynCluster, spec state.Spec) []wizard.Problem {
	switch {
	case found.Tenant != spec.Syn.Tenant:
		return []wizard.Problem{{Field: IDField, Message: "in Lieutenant, the cluster with this ID belongs to " + found.Tenant, Allowed: "another ID, or that tenant"}}
	case found.Catalog.DeployKey != "":
		return []wizard.Problem{{Field: IDField, Message: "a running cluster with this ID reports to Lieutenant", Allowed: "another ID"}}
	case found.InstallURL == "" && found.Catalog.URL != "": // Lieutenant's operator sets both shortly after the registration
		return []wizard.Problem{{Field: IDField, Message: "the bootstrap token of the cluster was used or has expired",
			Hint: "ask the operator of Lieutenant to reset the bootstrap token of " + found.ID}}
	}
	if region := found.Facts["region"]; region != "" && region != spec.Exoscale.Zone {
		return []wizard.Problem{{Field: IDField, Message: "in Lieutenant, the cluster with this ID is assigned to " + region, Allowed: "another ID, or the zone " + region}}
	}
	return nil
}

// SignIn signs in at Lieutenant. show is given the page to open in a browser.
func (c Syn) SignIn(ctx context.Context, spec state.Spec, show func(page string)) error {
	net, err := c.Environment.OpenNetwork(ctx, zoneOrDefault(spec))
	if err != nil {
		return err
	}
	access, err := c.Environment.OpenAccess(ctx, zoneOrDefault(spec))
	if err != nil {
		return err
	}
	lead := func(ctx context.Context, page string) error {
		show(page)
		if c.Simulated && access.Show != nil {
			return access.Show(ctx, page)
		}
		return nil
	}
	if err := access.NewLieutenantClient(net, spec.Syn.LieutenantURL).SignIn(ctx, lead); err != nil {
		return err
	}
	return access.OpenVaultClient(net, spec.Syn).SignIn(ctx, lead)
}
