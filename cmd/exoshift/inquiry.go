package main

import (
	"context"
	"slices"
	"time"

	"exoshift/provisioner/exoscale"
	"exoshift/state"
	"exoshift/wizard"
)

// inquiryLimit is how long an inquiry may take by the wall clock; then nobody could tell.
const inquiryLimit = 15 * time.Second

// inquiries are what only the outside can say about the answers.
func (c *conversation) inquiries() []wizard.Inquiry {
	account := []string{keyField, secretField}
	zone := slices.Concat(account, []string{zoneField})
	all := []wizard.Inquiry{
		{ID: "zones", Title: "Zones", Screen: wizard.Access, Ask: c.zones},
		{ID: "credentials", Title: "Credentials", Screen: wizard.Access, Keys: account, Ask: withKeys(c.credentials)},
		{ID: "names", Title: "Names", Screen: wizard.Cluster, Keys: slices.Concat(zone, []string{idField, prefixField}), Ask: withKeys(c.names)},
		{ID: "domain", Title: "Domain", Screen: wizard.Cluster, Keys: []string{idField, domainField}, Ask: c.domain},
		{ID: "release", Title: "Release", Screen: wizard.Cluster, Keys: []string{"openshift.distribution", versionField}, Ask: c.publication},
		{ID: "offers", Title: "Instance types and quotas", Screen: wizard.Nodes, Keys: slices.Concat(zone, typeKeys()), Ask: withKeys(c.offers)},
	}
	all = append(all, c.synInquiries()...)
	for n := range all {
		all[n].Ask = limited(all[n].Ask)
	}
	return all
}

type asking = func(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.Reply, error)

// withKeys spares the zone questions that it cannot answer. That there are no keys is shown beside their fields.
func withKeys(ask asking) asking {
	return func(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.Reply, error) {
		if secrets.APIKey == "" || secrets.APISecret == "" {
			return wizard.Reply{Pending: true, Summary: "needs the API key and its secret"}, nil
		}
		return ask(ctx, spec, secrets)
	}
}

// limited gives an inquiry an end.
func limited(ask asking) asking {
	return func(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.Reply, error) {
		ctx, cancel := context.WithTimeout(ctx, inquiryLimit)
		defer cancel()
		return ask(ctx, spec, secrets)
	}
}

// cloud returns a client for the zone that is chosen, or for any. It only looks.
func (c *conversation) cloud(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (*exoscale.Client, error) {
	zone := zoneOf(spec)
	net, err := c.realm.network(ctx, zone)
	if err != nil {
		return nil, err
	}
	return exoscale.New(net, zone, secrets.APIKey, secrets.APISecret, unrecorded{})
}
