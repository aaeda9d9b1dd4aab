package wizard

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"exoshift/internal/text/similar"
	"exoshift/state"
	"exoshift/wizard/label"
	"exoshift/wizard/release"
	"exoshift/wizard/sshkey"
)

func listOpenShiftFields() []Field {
	return []Field{
		{Key: "openshift.distribution", Title: "Distribution", Required: true, Choices: []string{ocp, OKD}, Example: ocp,
			Screen: Cluster, Effect: Rebuild,
			Help:   "ocp is Red Hat OpenShift Container Platform, okd is the community distribution.",
			Why:    "ocp requires a Red Hat subscription and pull secret. OKD requires neither, and is unsupported.",
			Source: "Your choice.",
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.Distribution })},
		{Key: versionKey, Title: "Version", Example: "4.20.5", Required: true, rule: validateVersion,
			Screen: Cluster, Effect: Rebuild, typable: isVersionRune, suggest: suggestVersion,
			Help:   "Release to install: x.y.z, a channel such as stable-4.20, or an OKD tag such as 4.20.0-okd-scos.11.",
			Why:    "A channel resolves to its newest release at installation. Later updates are done in the cluster.",
			Source: "OCP: https://mirror.openshift.com/pub/openshift-v4/clients/ocp/. OKD: https://github.com/okd-project/okd/releases.",
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.Version })},
		{Key: PullSecretKey, Title: "Pull secret", Example: "file:pull-secret.json", Required: true, Secret: true,
			Screen: Secrecy, Effect: NoEffect, rule: ValidateReference, optionalWhen: IsPullSecretOptional,
			Help:   "Reference to the pull secret from https://console.redhat.com/openshift/install/pull-secret. Not used for OKD.",
			Why:    "Nodes use it to pull OpenShift's images from Red Hat. It is a credential of your organization.",
			Source: "https://console.redhat.com/openshift/install/pull-secret, signed in with the account that has the subscription.",
			value:  bindReference(func(s *state.Spec) *state.SecretRef { return &s.OpenShift.PullSecret })},
		{Key: SSHKeyKey, Title: "SSH public key", Example: "ssh-ed25519 AAAAC3Nza… you@example.net", Required: true,
			Screen: Secrecy, Effect: Rebuild, rule: ValidateSSHKey,
			Help:   "SSH access to every node, for debugging: one line in authorized_keys format.",
			Why:    "Needed to debug a node if the installation is stuck. Only the owner of the private key can log in.",
			Source: "~/.ssh/id_ed25519.pub, or create one with `ssh-keygen -t ed25519`. The public key is not a secret.",
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.SSHKey })},
		{Key: TrustBundleKey, Title: "Trust bundle", Example: "./ca.pem", rule: ValidatePrintable,
			Screen: Secrecy, Advanced: true, Effect: ByHand,
			Help:   "PEM file with additional certificate authorities that the nodes trust.",
			Why:    "Required behind a TLS-inspecting proxy: without its CA, the nodes cannot download anything.",
			Source: "The proxy's operator. Leave it empty without such a proxy.",
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.TrustBundle })},
		{Key: "openshift.cloudControllerManager", Title: "Cloud controller manager", Choices: []string{"External"}, Example: "External",
			Screen: Cluster, Advanced: true, Effect: Rebuild,
			Help:   "External: run Exoscale's cloud controller manager in the cluster. Empty: none.",
			Why:    "Provides Exoscale load balancers for services of type LoadBalancer. It gets its own API key.",
			Source: "Your choice. Leave it empty if no application uses such services.",
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.CloudControllerManager })},
		{Key: "openshift.manifestsDir", Title: "Manifests directory", Example: "./manifests", rule: ValidatePrintable,
			Screen: Syn, Advanced: true, Effect: ByHand,
			Help:   "Local directory of manifests to install with the cluster.",
			Why:    "For what the cluster needs from the start, such as the Cilium network plugin.",
			Source: "You, or the vendor of the software. Leave it empty if not needed.",
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.ManifestsDir })},
	}
}

// The fields of the release and of the key for debugging.
const (
	versionKey = "openshift.version"
	okdExample = "4.20.0-okd-scos.11" // of its version
	SSHKeyKey  = "openshift.sshKey"
)

func suggestVersion(spec state.Spec) string {
	if spec.OpenShift.Distribution != ocp {
		return ""
	}
	known := release.ListMinors()
	return "stable-" + known[len(known)-1]
}

const proxySource = "Your network team. Leave it empty if the nodes reach the internet directly."

func listProxyFields() []Field {
	return []Field{
		{Key: "openshift.proxy.http", Title: "HTTP proxy", Example: "http://proxy.example.net:3128", rule: newProxyRule("http"),
			Screen: Secrecy, Advanced: true, Effect: ByHand, typable: isAddressRune,
			Help:   "The nodes' proxy for HTTP.",
			Why:    "Only needed if the nodes reach the internet through a proxy.",
			Source: proxySource,
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.Proxy.HTTP })},
		{Key: "openshift.proxy.https", Title: "HTTPS proxy", Example: "http://proxy.example.net:3128",
			Screen: Secrecy, Advanced: true, Effect: ByHand, rule: newProxyRule("http", "https"), typable: isAddressRune,
			Help:   "The nodes' proxy for HTTPS.",
			Why:    "OpenShift's images are pulled through it. Only needed if the nodes reach the internet through a proxy.",
			Source: proxySource,
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.Proxy.HTTPS })},
		{Key: "openshift.proxy.noProxy", Title: "No proxy", Example: ".example.net,10.9.0.0/24", rule: validateNoProxy,
			Screen: Secrecy, Advanced: true, Effect: ByHand, typable: isNoProxyRune, when: hasProxy,
			Help:   "Addresses, networks and domains to reach without the proxy.",
			Why:    "Hosts in your own networks are usually reached without the proxy. The cluster's names, ranges and elastic IPs are added automatically; add the zone's public ranges, which contain the nodes' addresses.",
			Source: "Your network team.",
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.Proxy.NoProxy })},
	}
}

func hasProxy(spec state.Spec) bool {
	return spec.OpenShift.Proxy.HTTP != "" || spec.OpenShift.Proxy.HTTPS != ""
}

// ValidateSSHKey never repeats the value: a private key may have been pasted.
func ValidateSSHKey(value string) []Problem {
	if problem, allowed := sshkey.Check(value); problem != "" {
		return NewProblem(problem, allowed, "")
	}
	return ValidatePrintable(strings.TrimSpace(value))
}

// newProxyRule never repeats the value: it may hold a password.
func newProxyRule(schemes ...string) rule {
	allowed := strings.Join(schemes, "://host:port or ") + "://host:port"
	return func(value string) []Problem {
		u, err := url.Parse(value)
		switch {
		case err != nil || u.Hostname() == "" || strings.TrimPrefix(u.Path, "/")+u.RawQuery+u.Fragment != "":
			return NewProblem("the value is not a proxy URL", allowed, "")
		case !slices.Contains(schemes, u.Scheme):
			return NewProblem("unsupported proxy scheme", allowed, "")
		case u.User != nil:
			return NewProblem("the URL contains credentials, which would be stored in plain text", allowed, "")
		}
		return ValidatePrintable(value)
	}
}

// The rules are those of openshift-install.
func validateNoProxy(value string) []Problem {
	if value == "*" {
		return nil
	}
	if n := 1 + strings.Count(value, ","); n > maxItems {
		return newTooManyProblem(n, maxItems)
	}
	var faults []Problem
	for part := range strings.SplitSeq(value, ",") {
		address, notAddress := netip.ParseAddr(part)
		_, notRange := netip.ParsePrefix(part)
		if (notAddress != nil || address.Zone() != "") && notRange != nil && !label.IsDomain(strings.TrimPrefix(part, ".")) {
			faults = append(faults, NewProblem(Quote(part)+" is not a valid address, CIDR or domain",
				"a comma-separated list without spaces and wildcards", "")...)
		}
	}
	return faults
}

// noProxy needs a proxy, and the proxy is outside of the cluster.
func checkProxy(spec state.Spec) []Problem {
	proxy := spec.OpenShift.Proxy
	var faults []Problem
	if proxy.NoProxy != "" && proxy.HTTP == "" && proxy.HTTPS == "" {
		faults = WithField("openshift.proxy.noProxy", NewProblem("no proxy is set",
			"only with openshift.proxy.http or openshift.proxy.https", ""))
	}
	faults = append(faults, checkProxyOutside(spec, "openshift.proxy.http", proxy.HTTP)...)
	return append(faults, checkProxyOutside(spec, "openshift.proxy.https", proxy.HTTPS)...)
}

func checkProxyOutside(spec state.Spec, key, value string) []Problem {
	u, err := url.Parse(value)
	if err != nil {
		return nil
	}
	address, err := netip.ParseAddr(u.Hostname())
	if err != nil {
		return nil
	}
	for _, s := range listSpans(spec) {
		if (s.field == podKey || s.field == serviceKey) && s.prefix.Contains(address) {
			return WithField(key, NewProblem(fmt.Sprintf("%s is inside %s (%s)", address, s.field, s.prefix),
				"a proxy outside the cluster", ""))
		}
	}
	return nil
}

// Distributions of OpenShift.
const (
	ocp = "ocp"
	OKD = "okd"
)

func formatSupported(form release.Form) string {
	if form == release.Tag {
		return string(form) + " with x.y " + FormatChoices(release.ListOKDMinors())
	}
	return string(form) + " with x.y " + FormatChoices(release.ListMinors())
}

func validateVersion(value string) []Problem {
	form, minor := release.Parse(value)
	switch {
	case form == "":
		return NewProblem(Quote(value)+" is not a valid version",
			formatSupported(release.Exact)+"; "+strings.Join(release.ListChannels(), "-x.y, ")+"-x.y; of OKD "+formatSupported(release.Tag), suggestVersionFor(value))
	case form == release.Tag && slices.Contains([]string{"4.16", "4.17", "4.18"}, minor):
		return NewProblem(Quote(value)+" is not supported: before 4.19, OKD uses Fedora CoreOS", formatSupported(form), "")
	case form == release.Tag && !slices.Contains(release.ListOKDMinors(), minor), form != release.Tag && !slices.Contains(release.ListMinors(), minor):
		return NewProblem(Quote(value)+" is not supported", formatSupported(form), "")
	}
	return nil
}

// What people write for a release of OKD, and for a channel in either order.
var (
	looseOKD     = regexp.MustCompile(`^(\d+\.\d+\.\d+)[-._]?okd[-._]?(?:scos)?[-._]?(\d+)$`)
	channelFirst = regexp.MustCompile(`^([a-z]*)[-._ ]?(\d+\.\d+)$`)
	channelLast  = regexp.MustCompile(`^(\d+\.\d+)[-._ ]?([a-z]+)$`)
)

func suggestVersionFor(value string) string {
	if len(value) > MaxShown {
		return ""
	}
	value = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(value)), "v")
	mended := value
	if found := looseOKD.FindStringSubmatch(value); found != nil {
		mended = found[1] + "-okd-scos." + found[2]
	} else if found := channelFirst.FindStringSubmatch(value); found != nil {
		mended = findChannel(found[1]) + "-" + found[2]
	} else if found := channelLast.FindStringSubmatch(value); found != nil {
		mended = findChannel(found[2]) + "-" + found[1]
	}
	if form, _ := release.Parse(mended); form == "" || validateVersion(mended) != nil {
		return ""
	}
	return mended
}

func findChannel(word string) string {
	if word == "" {
		return "stable"
	}
	return similar.FindNearest(word, release.ListChannels())
}

func checkDistribution(spec state.Spec) []Problem {
	value := spec.OpenShift.Version
	form, _ := release.Parse(value)
	if validateVersion(value) != nil {
		return nil
	}
	switch chosen := spec.OpenShift.Distribution; {
	case chosen == ocp && form == release.Tag:
		return WithField(versionKey, NewProblem(Quote(value)+" is an OKD release, but openshift.distribution is ocp",
			"x.y.z, or a channel such as stable-4.20", "openshift.distribution: okd"))
	case chosen == OKD && form == release.Channel:
		return WithField(versionKey, NewProblem(Quote(value)+" is a channel; OKD has no channels", formatSupported(release.Tag), ""))
	case chosen == OKD && form == release.Exact:
		return WithField(versionKey, NewProblem(Quote(value)+" is an OpenShift Container Platform release, but openshift.distribution is okd",
			formatSupported(release.Tag), "openshift.distribution: ocp"))
	}
	return nil
}

// TrustBundleKey is the key of the additional trusted certificates.
const TrustBundleKey = "openshift.trustBundle"

// PullSecretKey is the key of the pull secret.
const PullSecretKey = "openshift.pullSecret"

// IsPullSecretOptional reports whether a cluster needs no pull secret: OKD's images are public.
func IsPullSecretOptional(spec state.Spec) bool { return spec.OpenShift.Distribution == OKD }
