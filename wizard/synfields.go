package wizard

import "exoshift/state"

func synFields() []Field {
	return []Field{
		{Key: "syn.lieutenantURL", Title: "Lieutenant", Example: "https://api.syn.example.net", rule: httpsURL,
			Screen: Syn, Effect: Changeable, typable: addressRune,
			Help:   "The API of Project Syn; empty: the cluster is not connected.",
			Why:    "Project Syn keeps the configuration of many clusters in one place. Without it the cluster stands on its own.",
			Source: "Those who run Project Syn for you. Leave it empty if nobody does.",
			value:  text(func(s *state.Spec) *string { return &s.Syn.LieutenantURL })},
		{Key: "syn.tenant", Title: "Tenant", Example: "t-demo", rule: label(63),
			Screen: Syn, Effect: Changeable, typable: labelRune, when: hasLieutenant,
			Help:   "The ID of the tenant in Lieutenant.",
			Why:    "A cluster belongs to one tenant, whose configuration it shares.",
			Source: "Those who run Project Syn for you. Lieutenant's list of tenants has it.",
			value:  text(func(s *state.Spec) *string { return &s.Syn.Tenant })},
		{Key: "syn.facts", Title: "Facts", Example: "service_level=guaranteed-availability, access_policy=regular", rule: factRule,
			Screen: Syn, Advanced: true, Effect: Changeable, when: hasLieutenant,
			Help:   "What Lieutenant is told about the cluster.",
			Why:    "The configuration of the cluster may depend on these facts.",
			Source: "Those who run Project Syn for you.",
			value:  table(func(s *state.Spec) *map[string]string { return &s.Syn.Facts })},
		{Key: catalogKey, Title: "Catalog directory", Example: "./catalog", rule: printable,
			Screen: Syn, Advanced: true, Effect: NoEffect,
			Help:   "A compiled catalog on this machine, whose manifests are installed with the cluster.",
			Why:    "What the cluster needs from its first minute on, such as the network plugin Cilium, has to be there before Project Syn runs.",
			Source: "A clone of the cluster's catalog repository, after Commodore has compiled it.",
			value:  text(func(s *state.Spec) *string { return &s.Syn.CatalogDir })},
		{Key: "syn.vaultAddress", Title: "Vault", Example: "https://vault.example.net", rule: httpsURL,
			Screen: Syn, Advanced: true, Effect: Changeable, typable: addressRune, when: hasLieutenant,
			Help:   "The server that keeps the cluster's secrets for Project Syn. Empty: what Lieutenant says.",
			Why:    "The configuration of Project Syn holds no secrets, only where they are in Vault.",
			Source: "Those who run Project Syn for you. Usually Lieutenant knows it.",
			value:  text(func(s *state.Spec) *string { return &s.Syn.VaultAddress })},
		{Key: gitTokenKey, Title: "Git token", Example: "env:GITLAB_TOKEN", Secret: true,
			Screen: Syn, Advanced: true, Effect: Changeable, rule: referenceRule, when: hasLieutenant,
			Help:   "Where the token of the Git host is found. Empty: Git is reached by SSH, with the keys of your SSH agent.",
			Why:    "The cluster's configuration is written to its tenant's repository, and with a token the pipeline that compiles it can be followed.",
			Source: "The Git host: a personal access token with the scope api.",
			value:  reference(func(s *state.Spec) *state.SecretRef { return &s.Syn.GitToken })},
	}
}

// catalogKey is the field of the catalog.
const catalogKey = "syn.catalogDir"

// gitTokenKey is the field of the Git host's token.
const gitTokenKey = "syn.gitToken"

func hasLieutenant(spec state.Spec) bool { return spec.Syn.LieutenantURL != "" }
