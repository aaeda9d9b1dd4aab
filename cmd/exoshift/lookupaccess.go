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

const (
	keyField    = "exoscale.apiKey"
	secretField = "exoscale.apiSecret"
	zoneField   = "exoscale.zone"
)

func zoneOrDefault(spec state.Spec) string { return cmp.Or(spec.Exoscale.Zone, defaultZone) }

func (c *interviewBackend) lookupZones(ctx context.Context, spec state.Spec, _ wizard.Secrets) (wizard.LookupResult, error) {
	net, err := c.environment.openNetwork(ctx, zoneOrDefault(spec))
	if err != nil {
		return wizard.LookupResult{}, err
	}
	names, err := exoscale.ListZones(ctx, net)
	if err != nil {
		return wizard.LookupResult{}, err
	}
	reply := wizard.LookupResult{Summary: fmt.Sprintf("%d zones", len(names)), Choices: map[string][]wizard.Choice{}}
	for _, name := range names {
		reply.Choices[zoneField] = append(reply.Choices[zoneField], wizard.Choice{Value: name, Note: formatZonePlace(name)})
	}
	return reply, nil
}

// formatZonePlace derives the location from the zone's name.
func formatZonePlace(zone string) string {
	country, rest, _ := strings.Cut(zone, "-")
	town, _, _ := strings.Cut(rest, "-")
	towns := map[string]string{
		"ch-gva": "Geneva, Switzerland", "ch-dk": "Zurich, Switzerland", "at-vie": "Vienna, Austria", "de-fra": "Frankfurt, Germany",
		"bg-sof": "Sofia, Bulgaria", "de-muc": "Munich, Germany", "hr-zag": "Zagreb, Croatia",
	}
	return towns[country+"-"+town]
}

// lookupCredentials verifies the keys and their permissions to list.
func (c *interviewBackend) lookupCredentials(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.LookupResult, error) {
	cloud, err := c.newPreviewClient(ctx, spec, secrets)
	if err != nil {
		return wizard.LookupResult{}, err
	}
	defer cloud.Close()
	switch err := install.CheckAccess(ctx, cloud); {
	case fault.Is(err, fault.Denied):
		return wizard.LookupResult{Summary: "refused", Problems: []wizard.Problem{toCredentialsProblem(err)}}, nil
	case fault.Is(err, fault.Conflict):
		return wizard.LookupResult{Summary: "the clock is wrong", Problems: toProblems(keyField, err)}, nil
	case fault.Is(err, fault.Invalid):
		return wizard.LookupResult{Summary: "no such zone", Problems: toProblems(zoneField, err)}, nil
	case err != nil:
		return wizard.LookupResult{}, err
	}
	reply := wizard.LookupResult{Summary: "accepted"}
	unseen, err := c.listForbiddenKinds(ctx, cloud, spec, secrets)
	if err != nil {
		return reply, err
	}
	if len(unseen) > 0 {
		reply.Warnings = []wizard.Problem{{
			Field: keyField, Message: "this API key may not list " + strings.Join(unseen, ", "),
			Allowed: "a key whose IAM role may read and change the services compute, dns, iam and sos",
		}}
	}
	return reply, nil
}

func (c *interviewBackend) listForbiddenKinds(ctx context.Context, cloud *exoscale.Client, spec state.Spec, secrets wizard.Secrets) ([]string, error) {
	_, err := cloud.ListObjects(ctx)
	if spec.Exoscale.Zone == "" { // each zone has its own object storage
		return install.SplitUnlisted(err)
	}
	storage, bucketsErr := c.newStorageClient(ctx, spec, secrets)
	if bucketsErr == nil {
		_, bucketsErr = storage.ListBuckets(ctx)
		storage.Close()
	}
	return install.SplitUnlisted(errors.Join(err, bucketsErr))
}

func (c *interviewBackend) newStorageClient(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (*objects.Client, error) {
	net, err := c.environment.openNetwork(ctx, zoneOrDefault(spec))
	if err != nil {
		return nil, err
	}
	return objects.New(net, zoneOrDefault(spec), secrets.APIKey, secrets.APISecret, discardJournal{})
}

func toProblems(field string, err error) []wizard.Problem {
	return []wizard.Problem{{Field: field, Message: err.Error(), Hint: fault.HintOf(err)}}
}

// toCredentialsProblem includes only the API's own message.
func toCredentialsProblem(err error) wizard.Problem {
	words := strings.Split(err.Error(), ": ")
	return wizard.Problem{
		Field: keyField, Message: "Exoscale refuses this key or its secret: " + words[len(words)-1], Hint: fault.HintOf(err),
	}
}
