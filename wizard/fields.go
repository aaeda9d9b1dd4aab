package wizard

import (
	"slices"

	"exoshift/state"
)

// Fields returns every field of the answers file, in the order of the file; Screen.Fields has them in the order in
// which they are asked. The groups of sizing.extraGroups are one field here; Parse knows the fields of each.
func Fields() []Field {
	return slices.Concat(
		listHeadFields(), listClusterFields(), listExoscaleFields(), listSizingFields(), listNetworkFields(), listDNSFields(),
		listLoadBalancerFields(), listSynFields(), listOpenShiftFields(), listProxyFields(), listStorageFields(), listCheckFields(),
	)
}

// ListFieldsOf returns the fields of these answers: Fields, the known facts, and the fields of each additional group.
func ListFieldsOf(spec state.Spec) []Field {
	fields := Fields()
	if spec.OpenShift.Distribution == OKD {
		fields[slices.IndexFunc(fields, func(f Field) bool { return f.Key == versionKey })].Example = okdExample
	}
	fields = append(fields, FactFields()...)
	for i := range min(len(spec.Sizing.ExtraGroups), maxItems) {
		fields = append(fields, GroupFields(i)...)
	}
	return fields
}

func listHeadFields() []Field {
	return []Field{
		{Key: "apiVersion", Title: "Format of the file", Choices: []string{state.APIVersion}, Required: true,
			Effect: NoEffect, value: bindText(func(s *state.Spec) *string { return &s.APIVersion })},
		{Key: "kind", Title: "Kind of the file", Choices: []string{state.Kind}, Required: true,
			Effect: NoEffect, value: bindText(func(s *state.Spec) *string { return &s.Kind })},
	}
}

func listClusterFields() []Field {
	return []Field{
		{Key: "cluster.id", Title: "Cluster ID", Example: "c-demo-1", Required: true, rule: validateLabel(maxID),
			Screen: Cluster, Effect: Rebuild, typable: isLabelRune,
			Help:   "All that the cluster has on Exoscale is named after it, and so is its domain. It cannot be changed later.",
			Why:    "What belongs to the cluster is found again by this name, so no other cluster of your organization may have it.",
			Source: "You choose it. With Project Syn it begins with c-, and is the ID that the cluster has or gets in Lieutenant.",
			value:  bindText(func(s *state.Spec) *string { return &s.Cluster.ID })},
		{Key: "cluster.displayName", Title: "Display name", Example: "Demo", rule: ValidatePrintable,
			Screen: Cluster, Advanced: true, Effect: NoEffect,
			Help:   "How people call the cluster.",
			Why:    "It only helps people to tell clusters apart.",
			Source: "You choose it, and may change it at any time.",
			value:  bindText(func(s *state.Spec) *string { return &s.Cluster.DisplayName })},
		{Key: "cluster.baseDomain", Title: "Base domain", Example: "example.net", Required: true, rule: validateDomain,
			Screen: Cluster, Effect: Rebuild, typable: isDomainRune,
			Help: "The cluster's DNS zone is <cluster ID>.<base domain>. It cannot be changed later.",
			Why: "The addresses of the API and of all applications are below it. During the installation you add NS records " +
				"to this domain.",
			Source: "A domain of yours, whose DNS records you or a colleague can change.",
			value:  bindText(func(s *state.Spec) *string { return &s.Cluster.BaseDomain })},
	}
}

func listStorageFields() []Field {
	return []Field{
		{Key: "objectStorage.bucketPrefix", Title: "Prefix of the buckets", Example: "c-demo-1", rule: validateLabel(maxID),
			Screen: Cluster, Advanced: true, Effect: Rebuild, typable: isLabelRune,
			Help: "The names of the cluster's buckets in the object storage begin with it. Empty: the cluster ID.",
			Why: "Names of buckets are shared by all customers of Exoscale. If somebody else has a bucket of that name, " +
				"choose another prefix.",
			Source: "You choose it.",
			value:  bindText(func(s *state.Spec) *string { return &s.ObjectStorage.BucketPrefix })},
	}
}

func listExoscaleFields() []Field {
	return []Field{
		{Key: ZoneKey, Title: "Zone", Example: "ch-gva-2", Required: true, Choices: listZones(),
			Screen: Access, Effect: Rebuild,
			Help:   "Where the machines, the addresses and the buckets are.",
			Why:    "Everything of the cluster is in one zone. It decides in which country the data is and how far away users are.",
			Source: "You choose it. Exoscale lists the zones at https://www.exoscale.com/datacenters/.",
			value:  bindText(func(s *state.Spec) *string { return &s.Exoscale.Zone })},
		{Key: APIKeyKey, Title: "API key", Example: "env:EXOSCALE_API_KEY", Required: true, Secret: true,
			Screen: Access, Effect: NoEffect, rule: validateAccountReference,
			Help:   "Where the key of the Exoscale API is found.",
			Why:    "Everything on Exoscale is made with this key. It decides which organization pays.",
			Source: keySource,
			value:  bindReference(func(s *state.Spec) *state.SecretRef { return &s.Exoscale.APIKey })},
		{Key: APISecretKey, Title: "API secret", Example: "env:EXOSCALE_API_SECRET", Required: true, Secret: true,
			Screen: Access, Effect: NoEffect, rule: validateAccountReference,
			Help:   "Where the secret of the API key is found.",
			Why:    "It proves that the key is yours. It is never written into the answers.",
			Source: keySource,
			value:  bindReference(func(s *state.Spec) *state.SecretRef { return &s.Exoscale.APISecret })},
		{Key: "exoscale.deployTarget", Title: "Dedicated hypervisors", Example: "dedicated-1", rule: ValidatePrintable,
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
	APIKeyKey    = "exoscale.apiKey"
	APISecretKey = "exoscale.apiSecret"
	ZoneKey      = "exoscale.zone"
)

const keySource = "You make it once in the Exoscale portal under IAM, Keys. If the program exo is set up here, its account is found."

// As listed by Exoscale's API.
func listZones() []string {
	return []string{"ch-gva-2", "ch-dk-2", "at-vie-1", "at-vie-2", "de-fra-1", "de-muc-1", "bg-sof-1", "hr-zag-1"}
}

// AskKey is the key of an answers file whose list is asked even with a file.
const AskKey = "ask"

// AskField returns the field of that list. It is not among Fields, as it is no answer.
func AskField() Field {
	return Field{Key: AskKey, Example: "cluster.id, sizing", value: binding{shape: List}}
}
