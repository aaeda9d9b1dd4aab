package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/install"
	"exoshift/provisioner/objects"
	"exoshift/state"
	"exoshift/wizard"
)

// Fields that inquiries are about.
const (
	keyField    = "exoscale.apiKey"
	secretField = "exoscale.apiSecret"
	zoneField   = "exoscale.zone"
)

func zoneOf(spec state.Spec) string { return cmp.Or(spec.Exoscale.Zone, defaultZone) }

// zones asks which there are; everybody is told.
func (c *conversation) zones(ctx context.Context, spec state.Spec, _ wizard.Secrets) (wizard.Reply, error) {
	net, err := c.realm.network(ctx, zoneOf(spec))
	if err != nil {
		return wizard.Reply{}, err
	}
	names, err := exoscale.Zones(ctx, net)
	if err != nil {
		return wizard.Reply{}, err
	}
	reply := wizard.Reply{Summary: fmt.Sprintf("%d zones", len(names)), Choices: map[string][]wizard.Choice{}}
	for _, name := range names {
		reply.Choices[zoneField] = append(reply.Choices[zoneField], wizard.Choice{Value: name, Note: placeOf(name)})
	}
	return reply, nil
}

// placeOf names the place of a zone, as far as its name tells.
func placeOf(zone string) string {
	country, rest, _ := strings.Cut(zone, "-")
	town, _, _ := strings.Cut(rest, "-")
	towns := map[string]string{
		"ch-gva": "Geneva, Switzerland", "ch-dk": "Zurich, Switzerland", "at-vie": "Vienna, Austria", "de-fra": "Frankfurt, Germany",
		"bg-sof": "Sofia, Bulgaria", "de-muc": "Munich, Germany", "hr-zag": "Zagreb, Croatia",
	}
	return towns[country+"-"+town]
}

// credentials asks whether the keys are good, and what they may look at.
func (c *conversation) credentials(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.Reply, error) {
	cloud, err := c.cloud(ctx, spec, secrets)
	if err != nil {
		return wizard.Reply{}, err
	}
	defer cloud.Close()
	switch err := install.CheckAccess(ctx, cloud); {
	case fault.Is(err, fault.Denied):
		return wizard.Reply{Summary: "refused", Faults: []wizard.Fault{refused(err)}}, nil
	case fault.Is(err, fault.Conflict):
		return wizard.Reply{Summary: "the clock is wrong", Faults: about(keyField, err)}, nil
	case fault.Is(err, fault.Invalid):
		return wizard.Reply{Summary: "no such zone", Faults: about(zoneField, err)}, nil
	case err != nil:
		return wizard.Reply{}, err
	}
	reply := wizard.Reply{Summary: "accepted"}
	unseen, err := c.unseen(ctx, cloud, spec, secrets)
	if err != nil {
		return reply, err
	}
	if len(unseen) > 0 {
		reply.Warnings = []wizard.Fault{{
			Field: keyField, Problem: "this API key may not list " + strings.Join(unseen, ", "),
			Allowed: "a key whose IAM role may read and change the services compute, dns, iam and sos",
		}}
	}
	return reply, nil
}

// unseen returns the kinds of objects that the key may not list.
func (c *conversation) unseen(ctx context.Context, cloud *exoscale.Client, spec state.Spec, secrets wizard.Secrets) ([]string, error) {
	_, err := cloud.Objects(ctx)
	if spec.Exoscale.Zone == "" { // each zone has its own object storage
		return install.Unlisted(err)
	}
	storage, bucketsErr := c.storage(ctx, spec, secrets)
	if bucketsErr == nil {
		_, bucketsErr = storage.Buckets(ctx)
		storage.Close()
	}
	return install.Unlisted(errors.Join(err, bucketsErr))
}

func (c *conversation) storage(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (*objects.Client, error) {
	net, err := c.realm.network(ctx, zoneOf(spec))
	if err != nil {
		return nil, err
	}
	return objects.New(net, zoneOf(spec), secrets.APIKey, secrets.APISecret, unrecorded{})
}

// about makes faults of a field from an error.
func about(field string, err error) []wizard.Fault {
	return []wizard.Fault{{Field: field, Problem: err.Error(), Hint: fault.HintOf(err)}}
}

// refused says what Exoscale has against the keys: of the error only what the API itself said of them.
func refused(err error) wizard.Fault {
	words := strings.Split(err.Error(), ": ")
	return wizard.Fault{
		Field: keyField, Problem: "Exoscale refuses this key or its secret: " + words[len(words)-1], Hint: fault.HintOf(err),
	}
}
