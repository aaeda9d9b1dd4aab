package wizard

import (
	"slices"

	"exoshift/state"
)

// Fields returns every field of the answers file, in the order in which they are asked. The groups of
// sizing.extraGroups are one field here; Parse knows the fields of each.
func Fields() []Field {
	return slices.Concat(
		headFields(), clusterFields(), exoscaleFields(), sizingFields(), networkFields(), dnsFields(),
		loadBalancerFields(), synFields(), openshiftFields(), proxyFields(), storageFields(),
	)
}

// fieldsOf returns Fields and those of each extra group that spec has.
func fieldsOf(spec state.Spec) []Field {
	fields := Fields()
	for i := range spec.Sizing.ExtraGroups {
		fields = append(fields, groupFields(i)...)
	}
	return fields
}

func headFields() []Field {
	return []Field{
		{Key: "apiVersion", Title: "Format of the file", Choices: []string{state.APIVersion}, Required: true,
			value: text(func(s *state.Spec) *string { return &s.APIVersion })},
		{Key: "kind", Title: "Kind of the file", Choices: []string{state.Kind}, Required: true,
			value: text(func(s *state.Spec) *string { return &s.Kind })},
	}
}

func clusterFields() []Field {
	return []Field{
		{Key: "cluster.id", Title: "Cluster ID", Example: "c-demo-1", Required: true, rule: label(maxID),
			Help:  "Opens the names of all that the cluster has on Exoscale, and its domain. It cannot be changed later.",
			value: text(func(s *state.Spec) *string { return &s.Cluster.ID })},
		{Key: "cluster.displayName", Title: "Display name", Example: "Demo", rule: printable,
			Help:  "How people call the cluster.",
			value: text(func(s *state.Spec) *string { return &s.Cluster.DisplayName })},
		{Key: "cluster.baseDomain", Title: "Base domain", Example: "example.net", Required: true, rule: domain,
			Help:  "The cluster's DNS zone is <cluster ID>.<base domain>. It cannot be changed later.",
			value: text(func(s *state.Spec) *string { return &s.Cluster.BaseDomain })},
	}
}

func exoscaleFields() []Field {
	return []Field{
		{Key: "exoscale.zone", Title: "Zone", Example: "ch-gva-2", Required: true, Choices: zones(),
			Help:  "Where the machines, the addresses and the buckets are.",
			value: text(func(s *state.Spec) *string { return &s.Exoscale.Zone })},
		{Key: "exoscale.apiKey", Title: "API key", Example: "env:EXOSCALE_API_KEY", Required: true, Secret: true,
			Help: "Where the key of the Exoscale API is found.", rule: referenceRule,
			value: reference(func(s *state.Spec) *state.SecretRef { return &s.Exoscale.APIKey })},
		{Key: "exoscale.apiSecret", Title: "API secret", Example: "env:EXOSCALE_API_SECRET", Required: true, Secret: true,
			Help: "Where the secret of the API key is found.", rule: referenceRule,
			value: reference(func(s *state.Spec) *state.SecretRef { return &s.Exoscale.APISecret })},
		{Key: "exoscale.deployTarget", Title: "Dedicated hypervisors", Example: "dedicated-1", rule: printable,
			Help:  "Name of the deploy target that all machines run on; empty: where Exoscale has room.",
			value: text(func(s *state.Spec) *string { return &s.Exoscale.DeployTarget })},
		{Key: "exoscale.protectMasters", Title: "Protect the masters", Example: "true",
			Help:  "Whether Exoscale refuses to delete a master as long as its protection is on.",
			value: toggle(func(s *state.Spec) *bool { return &s.Exoscale.ProtectMasters })},
	}
}

// zones are Exoscale's zones as its API listed them.
func zones() []string {
	return []string{"ch-gva-2", "ch-dk-2", "at-vie-1", "at-vie-2", "de-fra-1", "de-muc-1", "bg-sof-1", "hr-zag-1"}
}

func networkFields() []Field {
	return []Field{
		{Key: "network.podCIDR", Title: "Pod network", Example: "10.128.0.0/14", Required: true, rule: ipv4Range,
			Help:  "The range of the pods' addresses; each node gets a piece of it.",
			value: text(func(s *state.Spec) *string { return &s.Network.PodCIDR })},
		{Key: "network.hostPrefix", Title: "Host prefix", Example: "23", Required: true, rule: between(1, 30),
			Help:  "The prefix length of each node's piece of the pod network: 23 is 510 pods a node.",
			value: number(func(s *state.Spec) *int { return &s.Network.HostPrefix })},
		{Key: "network.serviceCIDR", Title: "Service network", Example: "172.30.0.0/16", Required: true, rule: serviceRange,
			Help:  "The range of the services' addresses.",
			value: text(func(s *state.Spec) *string { return &s.Network.ServiceCIDR })},
		{Key: "network.nodeCIDR", Title: "Node network", Example: "10.0.0.0/16", Required: true, rule: ipv4Range,
			Help:  "The range that the nodes' addresses are in.",
			value: text(func(s *state.Spec) *string { return &s.Network.NodeCIDR })},
		{Key: "network.cni", Title: "Network plugin", Required: true, Choices: []string{ovnKubernetes, cilium},
			Help:  "Cilium's manifests come from syn.catalogDir or openshift.manifestsDir.",
			value: text(func(s *state.Spec) *string { return &s.Network.CNI })},
		{Key: "network.customerNetworks", Title: "Customer networks", Example: "192.168.0.0/16, 10.9.0.0/24", rule: anyRange,
			Help:  "Networks that pods must reach: the cluster's own ranges keep clear of them.",
			value: list(func(s *state.Spec) *[]string { return &s.Network.CustomerNetworks })},
	}
}

func dnsFields() []Field {
	return []Field{
		{Key: "dns.zone", Title: "DNS zone", Required: true, Choices: []string{"managed"},
			Help:  "managed: Exoscale serves the cluster's zone.",
			value: text(func(s *state.Spec) *string { return &s.DNS.Zone })},
		{Key: "dns.delegation", Title: "Delegation", Required: true, Choices: []string{"manual"},
			Help:  "manual: you add the NS records to the base domain; the installation tells which and waits for them.",
			value: text(func(s *state.Spec) *string { return &s.DNS.Delegation })},
		{Key: "dns.appsDomain", Title: "Domain of the applications", Example: "apps.c-demo-1.example.net", rule: domain,
			Help:  "Empty: apps.<cluster domain>.",
			value: text(func(s *state.Spec) *string { return &s.DNS.AppsDomain })},
		{Key: "dns.acme", Title: "Certificates by ACME", Example: "true",
			Help:  "Whether the API and the ingress get certificates by ACME once Project Syn runs.",
			value: toggle(func(s *state.Spec) *bool { return &s.DNS.ACME })},
	}
}

func loadBalancerFields() []Field {
	return []Field{
		{Key: "loadBalancer.strategy", Title: "Load balancing", Required: true,
			Choices: []string{"haproxy-pair", "dns-round-robin"},
			Help:    "haproxy-pair: two machines with HAProxy behind two elastic IPs, for the API and the ingress.",
			value:   text(func(s *state.Spec) *string { return &s.LoadBalancer.Strategy })},
		{Key: "loadBalancer.proxyProtocol", Title: "PROXY protocol", Example: "true",
			Help:  "Whether the load balancers tell the routers the addresses of the clients.",
			value: toggle(func(s *state.Spec) *bool { return &s.LoadBalancer.ProxyProtocol })},
	}
}

func synFields() []Field {
	return []Field{
		{Key: "syn.lieutenantURL", Title: "Lieutenant", Example: "https://api.syn.example.net", rule: httpsURL,
			Help:  "The API of Project Syn; empty: the cluster is not connected.",
			value: text(func(s *state.Spec) *string { return &s.Syn.LieutenantURL })},
		{Key: "syn.tenant", Title: "Tenant", Example: "t-demo", rule: label(63),
			Help:  "The ID of the tenant in Lieutenant.",
			value: text(func(s *state.Spec) *string { return &s.Syn.Tenant })},
		{Key: "syn.facts", Title: "Facts", Example: "service_level=guaranteed-availability, access_policy=regular", rule: factRule,
			Help:  "What Lieutenant is told about the cluster.",
			value: table(func(s *state.Spec) *map[string]string { return &s.Syn.Facts })},
		{Key: "syn.catalogDir", Title: "Catalog directory", Example: "./catalog", rule: printable,
			Help:  "A compiled catalog on this machine, whose manifests are installed with the cluster.",
			value: text(func(s *state.Spec) *string { return &s.Syn.CatalogDir })},
		{Key: "syn.vaultAddress", Title: "Vault", Example: "https://vault.example.net", rule: httpsURL,
			Help:  "Empty: what Lieutenant says.",
			value: text(func(s *state.Spec) *string { return &s.Syn.VaultAddress })},
	}
}

func openshiftFields() []Field {
	return []Field{
		{Key: "openshift.distribution", Title: "Distribution", Required: true, Choices: []string{ocp, okd},
			Help:  "ocp: OpenShift Container Platform of Red Hat; okd: the community's distribution.",
			value: text(func(s *state.Spec) *string { return &s.OpenShift.Distribution })},
		{Key: "openshift.version", Title: "Version", Example: "4.20.5", Required: true, rule: version,
			Help:  "The release that is installed: x.y.z, a channel such as stable-4.20, or of OKD 4.20.0-okd-scos.11.",
			value: text(func(s *state.Spec) *string { return &s.OpenShift.Version })},
		{Key: pullSecretKey, Title: "Pull secret", Example: "file:pull-secret.json", Required: true, Secret: true,
			Help: "Where the pull secret is found: https://console.redhat.com/openshift/install/pull-secret; OKD needs none.",
			rule: referenceRule, spared: needsNoPullSecret,
			value: reference(func(s *state.Spec) *state.SecretRef { return &s.OpenShift.PullSecret })},
		{Key: "openshift.sshKey", Title: "SSH public key", Example: "ssh-ed25519 AAAAC3Nza… you@example.net", Required: true,
			Help: "Opens every machine, for debugging: one line as in authorized_keys.", rule: sshKey,
			value: text(func(s *state.Spec) *string { return &s.OpenShift.SSHKey })},
		{Key: trustBundleKey, Title: "Trust bundle", Example: "./ca.pem", rule: printable,
			Help:  "A PEM file with certificate authorities that the nodes trust in addition.",
			value: text(func(s *state.Spec) *string { return &s.OpenShift.TrustBundle })},
		{Key: "openshift.cloudControllerManager", Title: "Cloud controller manager", Choices: []string{"External"},
			Help:  "External: Exoscale's cloud controller manager runs in the cluster; empty: none does.",
			value: text(func(s *state.Spec) *string { return &s.OpenShift.CloudControllerManager })},
		{Key: "openshift.manifestsDir", Title: "Directory with manifests", Example: "./manifests", rule: printable,
			Help:  "A directory on this machine whose manifests are installed with the cluster.",
			value: text(func(s *state.Spec) *string { return &s.OpenShift.ManifestsDir })},
	}
}

func proxyFields() []Field {
	return []Field{
		{Key: "openshift.proxy.http", Title: "HTTP proxy", Example: "http://proxy.example.net:3128", rule: proxyURL("http"),
			Help:  "The proxy that the nodes use for http.",
			value: text(func(s *state.Spec) *string { return &s.OpenShift.Proxy.HTTP })},
		{Key: "openshift.proxy.https", Title: "HTTPS proxy", Example: "http://proxy.example.net:3128",
			Help: "The proxy that the nodes use for https.", rule: proxyURL("http", "https"),
			value: text(func(s *state.Spec) *string { return &s.OpenShift.Proxy.HTTPS })},
		{Key: "openshift.proxy.noProxy", Title: "No proxy for", Example: ".example.net,10.9.0.0/24", rule: noProxy,
			Help:  "Addresses, networks and domains that are reached without the proxy.",
			value: text(func(s *state.Spec) *string { return &s.OpenShift.Proxy.NoProxy })},
	}
}

func storageFields() []Field {
	return []Field{
		{Key: "objectStorage.bucketPrefix", Title: "Prefix of the buckets", Example: "c-demo-1", rule: label(maxID),
			Help:  "Empty: the cluster ID.",
			value: text(func(s *state.Spec) *string { return &s.ObjectStorage.BucketPrefix })},
	}
}
