package main

import (
	"context"
	"time"

	"exoshift/provisioner/exoscale"
	"exoshift/state"
	"exoshift/wizard"
)

// inquiryLimit is how long an inquiry may take by the wall clock; then nobody could tell.
const inquiryLimit = 15 * time.Second

// inquiries are what only the outside can say about the answers.
func (c *conversation) inquiries() []wizard.Inquiry {
	all := []wizard.Inquiry{
		{ID: "zones", Title: "Zones", Screen: wizard.Access, Ask: c.zones},
		{ID: "credentials", Title: "Credentials", Screen: wizard.Access, Keys: []string{"exoscale.apiKey", "exoscale.apiSecret"}, Ask: c.credentials},
	}
	for n := range all {
		all[n].Ask = limited(all[n].Ask)
	}
	return all
}

type asking = func(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.Reply, error)

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
