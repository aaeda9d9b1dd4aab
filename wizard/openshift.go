package wizard

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"exoshift/state"

	"golang.org/x/crypto/ssh"
)

func listOpenShiftFields() []Field {
	return []Field{
		{Key: "openshift.distribution", Title: "Distribution", Required: true, Choices: []string{ocp, OKD}, Example: ocp,
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
		{Key: PullSecretKey, Title: "Pull secret", Example: "file:pull-secret.json", Required: true, Secret: true,
			Screen: Secrecy, Effect: NoEffect, rule: ValidateReference, optionalWhen: IsPullSecretOptional,
			Help:   "Where the pull secret is found: https://console.redhat.com/openshift/install/pull-secret; OKD needs none.",
			Why:    "It lets the machines download OpenShift's images from Red Hat. Whoever has it acts as your organization there.",
			Source: "https://console.redhat.com/openshift/install/pull-secret, with the account that has the subscription.",
			value:  bindReference(func(s *state.Spec) *state.SecretRef { return &s.OpenShift.PullSecret })},
		{Key: SSHKeyKey, Title: "SSH public key", Example: "ssh-ed25519 AAAAC3Nza… you@example.net", Required: true,
			Screen: Secrecy, Effect: Rebuild, rule: ValidateSSHKey,
			Help:   "Opens every machine, for debugging: one line as in authorized_keys.",
			Why:    "If the installation gets stuck, a look into a machine tells why. Only the owner of the private half gets in.",
			Source: "The file ~/.ssh/id_ed25519.pub, or what `ssh-keygen -t ed25519` makes. It is the public half and no secret.",
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.SSHKey })},
		{Key: TrustBundleKey, Title: "Trust bundle", Example: "./ca.pem", rule: ValidatePrintable,
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
		{Key: "openshift.manifestsDir", Title: "Directory with manifests", Example: "./manifests", rule: ValidatePrintable,
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
	SSHKeyKey  = "openshift.sshKey"
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

// ValidateSSHKey never repeats the value: a private key may have been pasted.
func ValidateSSHKey(value string) []Problem {
	const allowed = "one line as in authorized_keys, e.g. the content of ~/.ssh/id_ed25519.pub"
	if strings.Contains(value, "PRIVATE KEY") {
		return NewProblem("this is a private key; remove it from the file, and take a new one if others may have seen it", allowed, "")
	}
	_, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(value))
	switch {
	case err != nil:
		return NewProblem("the value is no SSH public key", allowed, "")
	case len(rest) > 0 || strings.ContainsAny(strings.TrimSpace(value), "\n\r"):
		return NewProblem("the value is more than one line", allowed, "")
	case len(options) > 0:
		return NewProblem("the key has options before it", "the key alone", "")
	}
	return ValidatePrintable(strings.TrimSpace(value))
}

// newProxyRule never repeats the value: it may hold a password.
func newProxyRule(schemes ...string) rule {
	allowed := strings.Join(schemes, "://host:port or ") + "://host:port"
	return func(value string) []Problem {
		u, err := url.Parse(value)
		switch {
		case err != nil || u.Hostname() == "" || strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment != "":
			return NewProblem("the value is no address of a proxy", allowed, "")
		case !slices.Contains(schemes, u.Scheme):
			return NewProblem("the scheme of the proxy is not known", allowed, "")
		case u.User != nil:
			return NewProblem("the address holds credentials, which would be kept in the open", allowed, "")
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
		if (notAddress != nil || address.Zone() != "") && notRange != nil && !IsDomain(strings.TrimPrefix(part, ".")) {
			faults = append(faults, NewProblem(Quote(part)+" is neither an address, a range nor a domain",
				"a list separated by commas, without spaces and wildcards", "")...)
		}
	}
	return faults
}

// noProxy needs a proxy, and the proxy is outside of the cluster.
func checkProxy(spec state.Spec) []Problem {
	proxy := spec.OpenShift.Proxy
	var faults []Problem
	if proxy.NoProxy != "" && proxy.HTTP == "" && proxy.HTTPS == "" {
		faults = WithField("openshift.proxy.noProxy", NewProblem("there is no proxy to go without",
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
			return WithField(key, NewProblem(fmt.Sprintf("%s is inside of %s, which is %s", address, s.field, s.prefix),
				"a proxy outside of the cluster", ""))
		}
	}
	return nil
}

// Distributions of OpenShift.
const (
	ocp = "ocp"
	OKD = "okd"
)

// The versions of OpenShift 4 whose installation is supported.
func listMinors() []string { return []string{"4.18", "4.19", "4.20", "4.21"} }

// Up to 4.18 OKD's machines start from Fedora CoreOS and change to CentOS Stream CoreOS later.
func listOKDMinors() []string { return []string{"4.19", "4.20", "4.21"} }

// The mirror has a directory of each for every minor version.
func listChannels() []string { return []string{"stable", "fast", "candidate", "latest"} }

type versionForm string

const (
	exact   versionForm = "x.y.z"
	tag     versionForm = "x.y.z-okd-scos.n" // of OKD
	channel versionForm = "stable-x.y"       // the mirror resolves it to a release
)

// parseVersion returns "" for an invalid version.
func parseVersion(version string) (form versionForm, minor string) {
	const number = `(?:0|[1-9]\d*)`
	for form, pattern := range map[versionForm]string{
		exact:   `^(\d+\.\d+)\.` + number + `$`,
		tag:     `^(\d+\.\d+)\.` + number + `-okd-scos\.` + number + `$`,
		channel: `^(?:` + strings.Join(listChannels(), "|") + `)-(\d+\.\d+)$`,
	} {
		if found := regexp.MustCompile(pattern).FindStringSubmatch(version); found != nil {
			return form, found[1]
		}
	}
	return "", ""
}

func formatSupported(form versionForm) string {
	if form == tag {
		return string(form) + " with x.y " + FormatChoices(listOKDMinors())
	}
	return string(form) + " with x.y " + FormatChoices(listMinors())
}

func validateVersion(value string) []Problem {
	form, minor := parseVersion(value)
	switch {
	case form == "":
		return NewProblem(Quote(value)+" is no version",
			formatSupported(exact)+"; "+strings.Join(listChannels(), "-x.y, ")+"-x.y; of OKD "+formatSupported(tag), suggestVersionFor(value))
	case form == tag && slices.Contains([]string{"4.16", "4.17", "4.18"}, minor):
		return NewProblem(Quote(value)+" is not supported: before 4.19, the machines of OKD start from Fedora CoreOS", formatSupported(form), "")
	case form == tag && !slices.Contains(listOKDMinors(), minor), form != tag && !slices.Contains(listMinors(), minor):
		return NewProblem(Quote(value)+" is not supported", formatSupported(form), "")
	}
	return nil
}

func suggestVersionFor(value string) string {
	if len(value) > MaxShown {
		return ""
	}
	value = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(value)), "v")
	mended := value
	parts := func(pattern string) []string { return regexp.MustCompile(pattern).FindStringSubmatch(value) }
	if found := parts(`^(\d+\.\d+\.\d+)[-._]?okd[-._]?(?:scos)?[-._]?(\d+)$`); found != nil {
		mended = found[1] + "-okd-scos." + found[2]
	} else if found := parts(`^([a-z]*)[-._ ]?(\d+\.\d+)$`); found != nil {
		mended = findChannel(found[1]) + "-" + found[2]
	} else if found := parts(`^(\d+\.\d+)[-._ ]?([a-z]+)$`); found != nil {
		mended = findChannel(found[2]) + "-" + found[1]
	}
	if form, _ := parseVersion(mended); form == "" || validateVersion(mended) != nil {
		return ""
	}
	return mended
}

func findChannel(word string) string {
	if word == "" {
		return "stable"
	}
	return Nearest(word, listChannels())
}

func checkDistribution(spec state.Spec) []Problem {
	value := spec.OpenShift.Version
	form, _ := parseVersion(value)
	if validateVersion(value) != nil {
		return nil
	}
	switch chosen := spec.OpenShift.Distribution; {
	case chosen == ocp && form == tag:
		return WithField(versionKey, NewProblem(Quote(value)+" is a release of OKD, and openshift.distribution is ocp",
			"x.y.z, or a channel such as stable-4.20", "openshift.distribution: okd"))
	case chosen == OKD && form == channel:
		return WithField(versionKey, NewProblem(Quote(value)+" is a channel, and OKD has none", formatSupported(tag), ""))
	case chosen == OKD && form == exact:
		return WithField(versionKey, NewProblem(Quote(value)+" is a release of OpenShift Container Platform, and openshift.distribution is okd",
			formatSupported(tag), "openshift.distribution: ocp"))
	}
	return nil
}

// TrustBundleKey is the key of the additional trusted certificates.
const TrustBundleKey = "openshift.trustBundle"

// PullSecretKey is the key of the pull secret.
const PullSecretKey = "openshift.pullSecret"

// IsPullSecretOptional reports whether a cluster needs no pull secret: OKD's images are public.
func IsPullSecretOptional(spec state.Spec) bool { return spec.OpenShift.Distribution == OKD }
