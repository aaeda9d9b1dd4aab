package wizard

import "exoshift/state"

func listClusterFields() []Field {
	return []Field{
		{Key: "cluster.id", Title: "Cluster ID", Example: "c-demo-1", Required: true, rule: validateLabel(maxID),
			Screen: Cluster, Effect: Rebuild, typable: isLabelRune,
			Help:   "All that the cluster has on Exoscale is named after it, and so is its domain. It cannot be changed later.",
			Why:    "What belongs to the cluster is found again by this name, so no other cluster of your organization may have it.",
			Source: "You choose it. With Project Syn it begins with c-, and is the ID that the cluster has or gets in Lieutenant.",
			value:  bindText(func(s *state.Spec) *string { return &s.Cluster.ID })},
		{Key: "cluster.displayName", Title: "Display name", Example: "Demo", rule: validatePrintable,
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
