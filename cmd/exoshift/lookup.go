package main

import (
	"context"
	"slices"
	"time"

	"exoshift/provisioner/exoscale"
	"exoshift/state"
	"exoshift/wizard"
)

// lookupTimeout is on the wall clock; then the lookup has failed.
const lookupTimeout = 15 * time.Second

func (c *interviewBackend) listLookups() []wizard.Lookup {
	account := []string{keyField, secretField}
	zone := slices.Concat(account, []string{zoneField})
	all := []wizard.Lookup{
		{ID: "zones", Title: "Zones", Screen: wizard.Access, Run: c.lookupZones},
		{ID: "credentials", Title: "Credentials", Screen: wizard.Access, Keys: account, Run: withKeys(c.lookupCredentials)},
		{ID: "names", Title: "Names", Screen: wizard.Cluster, Keys: slices.Concat(zone, []string{idField, prefixField}), Run: withKeys(c.lookupNames)},
		{ID: "domain", Title: "Domain", Screen: wizard.Cluster, Keys: []string{idField, domainField}, Run: c.lookupDomain},
		{ID: "release", Title: "Release", Screen: wizard.Cluster, Keys: []string{"openshift.distribution", versionField}, Run: c.lookupRelease},
		{ID: "offers", Title: "Instance types and quotas", Screen: wizard.Nodes, Keys: slices.Concat(zone, listTypeKeys()), Run: withKeys(c.lookupInstanceTypes)},
	}
	all = append(all, c.listSynLookups()...)
	for n := range all {
		all[n].Run = withTimeout(all[n].Run)
	}
	return all
}

type lookupFunc = func(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.LookupResult, error)

// withKeys skips lookups without API keys, which are reported at their own fields.
func withKeys(ask lookupFunc) lookupFunc {
	return func(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.LookupResult, error) {
		if secrets.APIKey == "" || secrets.APISecret == "" {
			return wizard.LookupResult{Pending: true, Summary: "needs the API key and its secret"}, nil
		}
		return ask(ctx, spec, secrets)
	}
}

func withTimeout(ask lookupFunc) lookupFunc {
	return func(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.LookupResult, error) {
		ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
		defer cancel()
		return ask(ctx, spec, secrets)
	}
}

// newPreviewClient returns a read-only client for the chosen zone, or for any.
func (c *interviewBackend) newPreviewClient(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (*exoscale.Client, error) {
	zone := zoneOrDefault(spec)
	net, err := c.environment.openNetwork(ctx, zone)
	if err != nil {
		return nil, err
	}
	return exoscale.New(net, zone, secrets.APIKey, secrets.APISecret, discardJournal{})
}
