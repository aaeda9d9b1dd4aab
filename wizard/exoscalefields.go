package wizard

import "exoshift/state"

func listExoscaleFields() []Field {
	return []Field{
		{Key: zoneKey, Title: "Zone", Example: "ch-gva-2", Required: true, Choices: listZones(),
			Screen: Access, Effect: Rebuild,
			Help:   "Where the machines, the addresses and the buckets are.",
			Why:    "Everything of the cluster is in one zone. It decides in which country the data is and how far away users are.",
			Source: "You choose it. Exoscale lists the zones at https://www.exoscale.com/datacenters/.",
			value:  bindText(func(s *state.Spec) *string { return &s.Exoscale.Zone })},
		{Key: apiKeyKey, Title: "API key", Example: "env:EXOSCALE_API_KEY", Required: true, Secret: true,
			Screen: Access, Effect: NoEffect, rule: validateAccountReference,
			Help:   "Where the key of the Exoscale API is found.",
			Why:    "Everything on Exoscale is made with this key. It decides which organization pays.",
			Source: keySource,
			value:  bindReference(func(s *state.Spec) *state.SecretRef { return &s.Exoscale.APIKey })},
		{Key: apiSecretKey, Title: "API secret", Example: "env:EXOSCALE_API_SECRET", Required: true, Secret: true,
			Screen: Access, Effect: NoEffect, rule: validateAccountReference,
			Help:   "Where the secret of the API key is found.",
			Why:    "It proves that the key is yours. It is never written into the answers.",
			Source: keySource,
			value:  bindReference(func(s *state.Spec) *state.SecretRef { return &s.Exoscale.APISecret })},
		{Key: "exoscale.deployTarget", Title: "Dedicated hypervisors", Example: "dedicated-1", rule: validatePrintable,
			Screen: Access, Advanced: true, Effect: ByHand,
			Help:   "Name of the deploy target that all machines run on; empty: where Exoscale has room.",
			Why:    "Only needed by those who have rented hypervisors of their own. A machine cannot move to another one later.",
			Source: "The list of `exo compute deploy-target list`, or Exoscale's support.",
			value:  bindText(func(s *state.Spec) *string { return &s.Exoscale.DeployTarget })},
		{Key: "exoscale.protectMasters", Title: "Protect the masters", Example: "true",
			Screen: Access, Advanced: true, Effect: Applied,
			Help:   "Whether Exoscale refuses to delete a master as long as its protection is on.",
			Why:    "A cluster that loses two of its three masters is lost. With the protection nobody deletes one by mistake.",
			Source: "You choose it. It costs nothing.",
			value:  bindSwitch(func(s *state.Spec) *bool { return &s.Exoscale.ProtectMasters })},
	}
}

// The fields of credentials and zone.
const (
	apiKeyKey    = "exoscale.apiKey"
	apiSecretKey = "exoscale.apiSecret"
	zoneKey      = "exoscale.zone"
)

const keySource = "You make it once in the Exoscale portal under IAM, Keys. If the program exo is set up here, its account is found."

// As listed by Exoscale's API.
func listZones() []string {
	return []string{"ch-gva-2", "ch-dk-2", "at-vie-1", "at-vie-2", "de-fra-1", "de-muc-1", "bg-sof-1", "hr-zag-1"}
}
