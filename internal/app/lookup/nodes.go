package lookup

import (
	"context"
	"fmt"
	"strings"

	"exoshift/assets"
	"exoshift/provisioner/install/preflight"
	"exoshift/state"
	"exoshift/wizard"
)

// maxGroups limits the additional groups that choices are offered for.
const maxGroups = 16

func listTypeFields() []wizard.Field {
	var named []wizard.Field
	for _, field := range wizard.Fields() {
		if strings.HasPrefix(field.Key, "sizing.") && strings.HasSuffix(field.Key, ".type") {
			named = append(named, field)
		}
	}
	return named
}

func listTypeKeys() []string {
	keys := []string{"sizing.extraGroups"}
	for _, field := range listTypeFields() {
		keys = append(keys, field.Key)
	}
	return keys
}

// lookupInstanceTypes also reads the organization's limits.
func (c Services) lookupInstanceTypes(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.LookupResult, error) {
	cloud, err := c.newPreviewClient(ctx, spec, secrets)
	if err != nil {
		return wizard.LookupResult{}, err
	}
	defer cloud.Close()
	types, err := cloud.ListInstanceTypes(ctx)
	if err != nil {
		return wizard.LookupResult{}, err
	}
	quotas, err := cloud.ListQuotas(ctx)
	if err != nil {
		return wizard.LookupResult{}, err
	}
	c.Types.Store(&types)
	usable := 0
	for _, t := range types {
		if t.Authorized {
			usable++
		}
	}
	reply := wizard.LookupResult{
		Summary:  fmt.Sprintf("%s offers %d types, %d of them to this organization", spec.Exoscale.Zone, len(types), usable),
		Problems: checkInstanceTypes(spec, types), Choices: listTypeChoices(spec, types),
	}
	for _, q := range quotas {
		reply.Quotas = append(reply.Quotas, wizard.Quota{Resource: q.Resource, Used: q.Used, Limit: q.Limit})
	}
	return reply, nil
}

func checkInstanceTypes(spec state.Spec, types []state.InstanceType) []wizard.Problem {
	var faults []wizard.Problem
	for _, lack := range preflight.FindUnavailableTypes(spec, types) {
		problem, allowed := fmt.Sprintf("zone %s offers no %s", spec.Exoscale.Zone, lack.Type), "one of the types that the zone offers"
		if lack.Offered {
			problem, allowed = "the organization is not authorized to use "+lack.Type, "another type, or ask Exoscale to authorize this one"
		}
		faults = append(faults, wizard.Problem{Field: lack.Field, Message: problem, Allowed: allowed})
	}
	return faults
}

// listTypeChoices returns the types available to this organization that each field allows.
func listTypeChoices(spec state.Spec, types []state.InstanceType) map[string][]wizard.Choice {
	notes := map[string]string{}
	for _, t := range types {
		if t.Authorized {
			notes[t.Name] = describeType(t)
		}
	}
	choices := map[string][]wizard.Choice{}
	for _, field := range listTypeFields() {
		for _, t := range types {
			allowed := spec
			if note, usable := notes[t.Name]; usable && field.Set(&allowed, t.Name) == nil {
				choices[field.Key] = append(choices[field.Key], wizard.Choice{Value: t.Name, Note: note})
			}
		}
	}
	for group := range maxGroups { // like workers
		choices[fmt.Sprintf("sizing.extraGroups[%d].type", group)] = choices["sizing.workers.type"]
	}
	return choices
}

// describeType returns e.g. "4 CPUs, 16 GiB, 0.19/h".
func describeType(t state.InstanceType) string {
	text := fmt.Sprintf("%d CPUs, %g GiB", t.CPUs, t.MemoryGiB)
	if t.GPUs > 0 {
		text += fmt.Sprintf(", %d GPUs", t.GPUs)
	}
	prices, err := assets.ReadPrices()
	if err != nil {
		return text // the price list is embedded, and tested
	}
	if price, known := prices.PerHour(state.KindInstance, t.Name, 0); known {
		text += fmt.Sprintf(", %.2f/h", price)
	}
	return text
}
