package wizard

import (
	"slices"

	"exoshift/state"
	"exoshift/wizard/label"
	"exoshift/wizard/profile"
)

// Fields returns every field of the answers file, in the order of the file; Screen.Fields has them in the order in
// which they are asked. The groups of sizing.extraGroups are one field here; Parse knows the fields of each.
func Fields() []Field {
	return slices.Concat(
		listHeadFields(), listClusterFields(), listExoscaleFields(), listSizingFields(), listNetworkFields(), listDNSFields(),
		listLoadBalancerFields(), listSynFields(), listOpenShiftFields(), listReleaseFields(), listProxyFields(), listStorageFields(), listCheckFields(),
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
		{Key: "apiVersion", Title: "File format", Choices: []string{state.APIVersion}, Required: true,
			Effect: NoEffect, value: bindText(func(s *state.Spec) *string { return &s.APIVersion })},
		{Key: "kind", Title: "File kind", Choices: []string{state.Kind}, Required: true,
			Effect: NoEffect, value: bindText(func(s *state.Spec) *string { return &s.Kind })},
	}
}

func listClusterFields() []Field {
	return []Field{
		{Key: "cluster.id", Title: "Cluster ID", Example: "c-demo-1", Required: true, rule: validateLabel(maxID),
			Screen: Cluster, Effect: Rebuild, typable: isLabelRune,
			Help:   "Prefix of the cluster's resource names on Exoscale, and part of its domain. It cannot be changed later.",
			Why:    "Resources are found by this ID, so it must be unique in your organization.",
			Source: "Your choice. With Project Syn it starts with c- and is the cluster's ID in Lieutenant.",
			value:  bindText(func(s *state.Spec) *string { return &s.Cluster.ID })},
		{Key: "cluster.displayName", Title: "Display name", Example: "Demo", rule: ValidatePrintable,
			Screen: Cluster, Advanced: true, Effect: NoEffect,
			Help:   "A human-readable name of the cluster.",
			Why:    "Shown in addition to the ID; nothing depends on it.",
			Source: "Your choice; it can be changed at any time.",
			value:  bindText(func(s *state.Spec) *string { return &s.Cluster.DisplayName })},
		{Key: "cluster.labels", Title: "Labels", Example: "stage=prod, region=west", rule: validateClusterLabel, most: label.Most,
			Screen: Cluster, Advanced: true, Effect: NoEffect,
			Help:   "Labels that select this cluster among others, as those of Kubernetes do.",
			Why:    "`exoshift fleet status` and `exoshift fleet gate` choose clusters by them; nothing is labelled on Exoscale or in the cluster.",
			Source: "Your choice; they can be changed at any time.",
			value:  bindTable(func(s *state.Spec) *map[string]string { return &s.Cluster.Labels })},
		{Key: "cluster.baseDomain", Title: "Base domain", Example: "example.net", Required: true, rule: validateDomain,
			Screen: Cluster, Effect: Rebuild, typable: isDomainRune,
			Help: "The cluster's DNS zone is <cluster ID>.<base domain>. It cannot be changed later.",
			Why: "The API and all applications get names below it. During the installation you add NS records " +
				"to this domain.",
			Source: "A domain whose DNS records you or a colleague can change.",
			value:  bindText(func(s *state.Spec) *string { return &s.Cluster.BaseDomain })},
		{Key: profile.Key, Title: "Profile", Choices: []string{state.ProfileAPPUiO, state.ProfilePlain}, Example: state.ProfileAPPUiO,
			Screen: Syn, Effect: NoEffect, when: hasLieutenant, suggest: profile.Suggest,
			Help: "appuio: other answers default to Cilium, Exoscale's cloud controller manager, ACME certificates and the PROXY protocol; " +
				"plain: to OpenShift's own. Empty: appuio with Project Syn, otherwise plain.",
			Why:    "Configurations of APPUiO Managed OpenShift 4 expect these parts. Answers of yours take precedence, and a cluster that exists keeps its own.",
			Source: "Your Project Syn operator. Use appuio for clusters at VSHN.",
			value:  bindText(func(s *state.Spec) *string { return &s.Cluster.Profile })},
	}
}

func listStorageFields() []Field {
	return []Field{
		{Key: "objectStorage.bucketPrefix", Title: "Bucket prefix", Example: "c-demo-1", rule: validateLabel(maxID),
			Screen: Cluster, Advanced: true, Effect: Rebuild, typable: isLabelRune,
			Help: "Prefix of the names of the cluster's buckets. Empty: the cluster ID.",
			Why: "Bucket names are global across all Exoscale customers. If a name is taken, " +
				"choose another prefix.",
			Source: "Your choice.",
			value:  bindText(func(s *state.Spec) *string { return &s.ObjectStorage.BucketPrefix })},
	}
}

func listExoscaleFields() []Field {
	return []Field{
		{Key: ZoneKey, Title: "Zone", Example: "ch-gva-2", Required: true, Choices: ListZones(),
			Screen: Access, Effect: Rebuild,
			Help:   "The Exoscale zone of the instances, IP addresses and buckets.",
			Why:    "A cluster uses one zone. It determines the country of the data and the latency to users.",
			Source: "Your choice. All zones: https://www.exoscale.com/datacenters/.",
			value:  bindText(func(s *state.Spec) *string { return &s.Exoscale.Zone })},
		{Key: APIKeyKey, Title: "API key", Example: "env:EXOSCALE_API_KEY", Required: true, Secret: true,
			Screen: Access, Effect: NoEffect, rule: validateAccountReference,
			Help:   "Reference to the Exoscale API key.",
			Why:    "All resources are created with this key, in the organization that owns it.",
			Source: keySource,
			value:  bindReference(func(s *state.Spec) *state.SecretRef { return &s.Exoscale.APIKey })},
		{Key: APISecretKey, Title: "API secret", Example: "env:EXOSCALE_API_SECRET", Required: true, Secret: true,
			Screen: Access, Effect: NoEffect, rule: validateAccountReference,
			Help:   "Reference to the secret of the API key.",
			Why:    "Authenticates the API key. The secret itself is never written to the answers.",
			Source: keySource,
			value:  bindReference(func(s *state.Spec) *state.SecretRef { return &s.Exoscale.APISecret })},
		{Key: "exoscale.deployTarget", Title: "Dedicated hypervisors", Example: "dedicated-1", rule: ValidatePrintable,
			Screen: Access, Advanced: true, Effect: ByHand,
			Help:   "Name of the deploy target for all instances. Empty: Exoscale chooses.",
			Why:    "Only for organizations with dedicated hypervisors. An instance cannot be moved later.",
			Source: "`exo compute deploy-target list`, or Exoscale support.",
			value:  bindText(func(s *state.Spec) *string { return &s.Exoscale.DeployTarget })},
		{Key: "exoscale.protectMasters", Title: "Deletion protection (masters)", Example: "true",
			Screen: Access, Advanced: true, Effect: Applied,
			Help:   "Whether Exoscale refuses to delete a master while its protection is on.",
			Why:    "Prevents accidental deletion. A cluster that loses two of its three masters is lost.",
			Source: "Your choice; it is free.",
			value:  bindSwitch(func(s *state.Spec) *bool { return &s.Exoscale.ProtectMasters })},
	}
}

// The fields of credentials and zone.
const (
	APIKeyKey    = "exoscale.apiKey"
	APISecretKey = "exoscale.apiSecret"
	ZoneKey      = "exoscale.zone"
)

const keySource = "Create it in the Exoscale portal under IAM, Keys. An account of a configured exo CLI is detected."

// ListZones returns the zones that Exoscale's API lists.
func ListZones() []string {
	return []string{"ch-gva-2", "ch-dk-2", "at-vie-1", "at-vie-2", "de-fra-1", "de-muc-1", "bg-sof-1", "hr-zag-1"}
}

// AskKey is the key of an answers file whose list is asked even with a file.
const AskKey = "ask"

// AskField returns the field of that list. It is not among Fields, as it is no answer.
func AskField() Field {
	return Field{Key: AskKey, Example: "cluster.id, sizing", value: binding{shape: List}}
}
