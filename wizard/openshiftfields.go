package wizard

import "exoshift/state"

func listOpenShiftFields() []Field {
	return []Field{
		{Key: "openshift.distribution", Title: "Distribution", Required: true, Choices: []string{ocp, okd}, Example: ocp,
			Screen: Cluster, Effect: Rebuild,
			Help:   "ocp: OpenShift Container Platform of Red Hat; okd: the community's distribution.",
			Why:    "OpenShift Container Platform needs a subscription and a pull secret of Red Hat. OKD needs neither and has no support.",
			Source: "You choose it.",
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.Distribution })},
		{Key: versionKey, Title: "Version", Example: "4.20.5", Required: true, rule: validateVersion,
			Screen: Cluster, Effect: Rebuild, typable: isVersionRune, suggest: suggestVersion,
			Help:   "The release that is installed: x.y.z, a channel such as stable-4.20, or of OKD 4.20.0-okd-scos.11.",
			Why:    "A channel means its newest release on the day of the installation. Later the cluster is updated from inside.",
			Source: "Red Hat lists the releases at https://mirror.openshift.com/pub/openshift-v4/clients/ocp/. Those of OKD are at https://github.com/okd-project/okd/releases.",
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.Version })},
		{Key: pullSecretKey, Title: "Pull secret", Example: "file:pull-secret.json", Required: true, Secret: true,
			Screen: Secrecy, Effect: NoEffect, rule: validateReference, optionalWhen: isPullSecretOptional,
			Help:   "Where the pull secret is found: https://console.redhat.com/openshift/install/pull-secret; OKD needs none.",
			Why:    "It lets the machines download OpenShift's images from Red Hat. Whoever has it acts as your organization there.",
			Source: "https://console.redhat.com/openshift/install/pull-secret, with the account that has the subscription.",
			value:  bindReference(func(s *state.Spec) *state.SecretRef { return &s.OpenShift.PullSecret })},
		{Key: sshKeyKey, Title: "SSH public key", Example: "ssh-ed25519 AAAAC3Nza… you@example.net", Required: true,
			Screen: Secrecy, Effect: Rebuild, rule: validateSSHKey,
			Help:   "Opens every machine, for debugging: one line as in authorized_keys.",
			Why:    "If the installation gets stuck, a look into a machine tells why. Only the owner of the private half gets in.",
			Source: "The file ~/.ssh/id_ed25519.pub, or what `ssh-keygen -t ed25519` makes. It is the public half and no secret.",
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.SSHKey })},
		{Key: trustBundleKey, Title: "Trust bundle", Example: "./ca.pem", rule: validatePrintable,
			Screen: Secrecy, Advanced: true, Effect: ByHand,
			Help:   "A PEM file with certificate authorities that the nodes trust in addition.",
			Why:    "Behind a proxy that opens encrypted traffic, nothing can be downloaded unless the nodes trust its authority.",
			Source: "Those who run the proxy. Leave it empty if there is none.",
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.TrustBundle })},
		{Key: "openshift.cloudControllerManager", Title: "Cloud controller manager", Choices: []string{"External"}, Example: "External",
			Screen: Cluster, Advanced: true, Effect: Rebuild,
			Help:   "External: Exoscale's cloud controller manager runs in the cluster; empty: none does.",
			Why:    "With it, services of the type LoadBalancer get a load balancer of Exoscale. It gets an API key of its own.",
			Source: "You choose it. Leave it empty if no application asks for such services.",
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.CloudControllerManager })},
		{Key: "openshift.manifestsDir", Title: "Directory with manifests", Example: "./manifests", rule: validatePrintable,
			Screen: Syn, Advanced: true, Effect: ByHand,
			Help:   "A directory on this machine whose manifests are installed with the cluster.",
			Why:    "What the cluster needs from its first minute on, such as the network plugin Cilium, has to be given here.",
			Source: "You or the makers of the software that is to be installed. Leave it empty if there is none.",
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.ManifestsDir })},
	}
}

// The fields of the release and of the key for debugging.
const (
	versionKey = "openshift.version"
	okdExample = "4.20.0-okd-scos.11" // of its version
	sshKeyKey  = "openshift.sshKey"
)

func suggestVersion(spec state.Spec) string {
	if spec.OpenShift.Distribution != ocp {
		return ""
	}
	known := listMinors()
	return "stable-" + known[len(known)-1]
}

const proxySource = "Those who run your networks. Leave it empty if the machines reach the internet directly."

func listProxyFields() []Field {
	return []Field{
		{Key: "openshift.proxy.http", Title: "HTTP proxy", Example: "http://proxy.example.net:3128", rule: newProxyRule("http"),
			Screen: Secrecy, Advanced: true, Effect: ByHand, typable: isAddressRune,
			Help:   "The proxy that the nodes use for http.",
			Why:    "Only needed if the nodes reach the internet through a proxy and not directly.",
			Source: proxySource,
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.Proxy.HTTP })},
		{Key: "openshift.proxy.https", Title: "HTTPS proxy", Example: "http://proxy.example.net:3128",
			Screen: Secrecy, Advanced: true, Effect: ByHand, rule: newProxyRule("http", "https"), typable: isAddressRune,
			Help:   "The proxy that the nodes use for https.",
			Why:    "OpenShift's images are downloaded through it. Only needed if the nodes do not reach the internet directly.",
			Source: proxySource,
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.Proxy.HTTPS })},
		{Key: "openshift.proxy.noProxy", Title: "No proxy for", Example: ".example.net,10.9.0.0/24", rule: validateNoProxy,
			Screen: Secrecy, Advanced: true, Effect: ByHand, typable: isNoProxyRune, when: hasProxy,
			Help:   "Addresses, networks and domains that are reached without the proxy.",
			Why:    "What is inside of your networks is usually not reached through the proxy. The cluster's own ranges are added without you.",
			Source: "Those who run your networks.",
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.Proxy.NoProxy })},
	}
}

func hasProxy(spec state.Spec) bool {
	return spec.OpenShift.Proxy.HTTP != "" || spec.OpenShift.Proxy.HTTPS != ""
}
