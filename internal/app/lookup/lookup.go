// Package lookup asks Exoscale, the mirror, name servers and Project Syn about the answers of an interview.
package lookup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"exoshift/internal/app/environment"
	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/install/preflight"
	"exoshift/provisioner/objects"
	"exoshift/state"
	"exoshift/wizard"
)

// defaultZone is queried for zone-independent data, as long as none is chosen.
const defaultZone = "ch-gva-2"

// LookupTimeout is on the wall clock; then the lookup has failed.
const LookupTimeout = 15 * time.Second

// Services asks services about the answers of an interview, on read-only clients.
type Services struct {
	Environment environment.Environment
	Installer   string // a given openshift-install; "" for the published one
	InPlace     bool   // the folder was chosen explicitly
	Types       *atomic.Pointer[[]state.InstanceType]
	Proof       internalProof
}

// List returns the look-ups about Exoscale, the domain and the release.
func (c Services) List() []wizard.Lookup {
	account := []string{keyField, secretField}
	zone := slices.Concat(account, []string{zoneField})
	all := []wizard.Lookup{
		{ID: "zones", Title: "Zones", Screen: wizard.Access, Run: c.lookupZones},
		{ID: "credentials", Title: "Credentials", Screen: wizard.Access, Keys: account, Optional: []string{zoneField}, Run: withKeys(c.lookupCredentials)},
		{ID: "names", Title: "Names", Screen: wizard.Cluster, Keys: slices.Concat(zone, []string{IDField, prefixField}), Run: withKeys(c.lookupNames)},
		{ID: "domain", Title: "Domain", Screen: wizard.Cluster, Keys: []string{IDField, domainField}, Run: c.lookupDomain},
		{ID: "release", Title: "Release", Screen: wizard.Cluster, Keys: []string{"openshift.distribution", versionField}, Run: c.lookupRelease},
		{ID: "offers", Title: "Instance types and quotas", Screen: wizard.Nodes, Keys: slices.Concat(zone, listTypeKeys()), Run: withKeys(c.lookupInstanceTypes)},
		{ID: "internal", Title: "Internal API access", Screen: wizard.Network, Keys: []string{zoneField}, When: c.Proof.isRecorded, Run: c.Proof.lookup},
	}
	return all
}

// Func runs one look-up.
type Func = func(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.LookupResult, error)

// withKeys skips lookups without API keys, which are reported at their own fields.
func withKeys(ask Func) Func {
	return func(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.LookupResult, error) {
		if secrets.APIKey == "" || secrets.APISecret == "" {
			return wizard.LookupResult{Pending: true, Summary: "requires the API key and its secret"}, nil
		}
		return ask(ctx, spec, secrets)
	}
}

// WithTimeout limits a look-up to LookupTimeout.
func WithTimeout(ask Func) Func {
	return func(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.LookupResult, error) {
		ctx, cancel := context.WithTimeout(ctx, LookupTimeout)
		defer cancel()
		return ask(ctx, spec, secrets)
	}
}

// newPreviewClient returns a read-only client for the chosen zone, or for any.
func (c Services) newPreviewClient(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (*exoscale.Client, error) {
	zone := zoneOrDefault(spec)
	net, err := c.Environment.OpenNetwork(ctx, zone)
	if err != nil {
		return nil, err
	}
	return exoscale.New(net, zone, secrets.APIKey, secrets.APISecret, state.NoJournal{})
}

const (
	keyField    = "exoscale.apiKey"
	secretField = "exoscale.apiSecret"
	zoneField   = "exoscale.zone"
)

func zoneOrDefault(spec state.Spec) string { return cmp.Or(spec.Exoscale.Zone, defaultZone) }

func (c Services) lookupZones(ctx context.Context, spec state.Spec, _ wizard.Secrets) (wizard.LookupResult, error) {
	net, err := c.Environment.OpenNetwork(ctx, zoneOrDefault(spec))
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
func (c Services) lookupCredentials(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.LookupResult, error) {
	cloud, err := c.newPreviewClient(ctx, spec, secrets)
	if err != nil {
		return wizard.LookupResult{}, err
	}
	defer cloud.Close()
	switch err := preflight.CheckAccess(ctx, cloud); {
	case fault.Is(err, fault.Denied):
		return wizard.LookupResult{Summary: "refused", Problems: []wizard.Problem{toCredentialsProblem(err)}}, nil
	case fault.Is(err, fault.Conflict):
		return wizard.LookupResult{Summary: "the clock is wrong", Problems: toProblems(keyField, err)}, nil
	case fault.Is(err, fault.Invalid) && isKnownMissing(err, spec.Exoscale.Zone):
		return wizard.LookupResult{Summary: "the zone does not exist", Problems: toProblems(zoneField, err)}, nil
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
			Field: keyField, Message: "this API key has no permission to list " + strings.Join(unseen, ", "),
			Allowed: "a key whose IAM role allows the services compute, dns, iam and sos",
		}}
	}
	return reply, nil
}

func (c Services) listForbiddenKinds(ctx context.Context, cloud *exoscale.Client, spec state.Spec, secrets wizard.Secrets) ([]string, error) {
	_, err := cloud.ListObjects(ctx)
	if spec.Exoscale.Zone == "" { // each zone has its own object storage
		return preflight.SplitUnlisted(err)
	}
	storage, bucketsErr := c.newStorageClient(ctx, spec, secrets)
	if bucketsErr == nil {
		_, bucketsErr = storage.ListBuckets(ctx)
		storage.Close()
	}
	return preflight.SplitUnlisted(errors.Join(err, bucketsErr))
}

func (c Services) newStorageClient(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (*objects.Client, error) {
	net, err := c.Environment.OpenNetwork(ctx, zoneOrDefault(spec))
	if err != nil {
		return nil, err
	}
	return objects.New(net, zoneOrDefault(spec), secrets.APIKey, secrets.APISecret, state.NoJournal{})
}

// isKnownMissing reports whether an error about a zone is about the zone that was chosen. Where names are not resolved, a zone of which
// there is proof is not missing.
func isKnownMissing(err error, zone string) bool {
	var name *net.DNSError
	return zone != "" && (!errors.As(err, &name) || !slices.Contains(wizard.ListZones(), zone))
}

func toProblems(field string, err error) []wizard.Problem {
	return []wizard.Problem{{Field: field, Message: err.Error(), Hint: fault.HintOf(err)}}
}

// toCredentialsProblem includes only the API's own message.
func toCredentialsProblem(err error) wizard.Problem {
	words := strings.Split(err.Error(), ": ")
	return wizard.Problem{
		Field: keyField, Message: "Exoscale rejects this key or its secret: " + words[len(words)-1], Hint: fault.HintOf(err),
	}
}
