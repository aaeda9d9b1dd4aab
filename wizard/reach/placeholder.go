package reach

import (
	"cmp"
	"net"
	"net/url"
	"regexp"
	"strings"

	"exoshift/state"
)

// The channel for requests as long as no release was chosen.
const defaultChannel = "stable-4.21"

// The answers decide the value of a placeholder.
type placeholder struct {
	value   func(Scope) string // "": it is not known
	missing string             // the answer that it needs, after "answer"
}

func listPlaceholders() map[string]placeholder {
	const domainLacks = "cluster.id and cluster.baseDomain"
	asked := func(value func(state.Spec) string) func(Scope) string {
		return func(s Scope) string { return value(s.Spec) }
	}
	return map[string]placeholder{
		"zone":        {asked(func(s state.Spec) string { return s.Exoscale.Zone }), "exoscale.zone"},
		"base":        {asked(func(s state.Spec) string { return s.Cluster.BaseDomain }), "cluster.baseDomain"},
		"domain":      {asked(getDomain), domainLacks},
		"apps":        {asked(getAppsDomain), domainLacks},
		"version":     {asked(getRelease), "openshift.version"},
		"okd":         {asked(getOKDRelease), "openshift.distribution okd and openshift.version"},
		"channel":     {asked(resolveChannel), "openshift.version"},
		"lieutenant":  {asked(func(s state.Spec) string { return trimURL(s.Syn.LieutenantURL) }), "syn.lieutenantURL"},
		"sso":         {func(s Scope) string { return trimURL(s.Discovery.OIDC) }, "syn.lieutenantURL; provided by Lieutenant once it is reachable"},
		"vault":       {resolveVault, "syn.vaultAddress"},
		"http-proxy":  {asked(func(s state.Spec) string { return parseProxyAddress(s.OpenShift.Proxy.HTTP) }), "openshift.proxy.http"},
		"https-proxy": {asked(func(s state.Spec) string { return parseProxyAddress(s.OpenShift.Proxy.HTTPS) }), "openshift.proxy.https"},
	}
}

var placeholderPattern = regexp.MustCompile(`\{[a-z-]+\}`)

// expandURL returns the first placeholder whose value is not known.
func (s Scope) expandURL(address string) (filled, unknown string) {
	known := listPlaceholders()
	filled = placeholderPattern.ReplaceAllStringFunc(address, func(name string) string {
		name = strings.Trim(name, "{}")
		value := ""
		if p, ok := known[name]; ok {
			value = p.value(s)
		}
		if value == "" {
			unknown = cmp.Or(unknown, name)
		}
		return value
	})
	return filled, unknown
}

func describeMissing(name string) string {
	return "answer " + cmp.Or(listPlaceholders()[name].missing, "more")
}

func getDomain(spec state.Spec) string {
	if spec.Cluster.ID == "" || spec.Cluster.BaseDomain == "" {
		return ""
	}
	return spec.Domain()
}

func getAppsDomain(spec state.Spec) string {
	if spec.DNS.AppsDomain == "" && getDomain(spec) == "" {
		return ""
	}
	return spec.AppsDomain()
}

func getRelease(spec state.Spec) string {
	if version := spec.OpenShift.Version; version != "" && !strings.Contains(version, "-okd-") {
		return url.PathEscape(version)
	}
	return defaultChannel
}

func getOKDRelease(spec state.Spec) string {
	if version := spec.OpenShift.Version; strings.Contains(version, "-okd-") {
		return url.PathEscape(version)
	}
	return ""
}

var (
	updateChannel = regexp.MustCompile(`^(?:stable|fast|candidate)-\d+\.\d+$`)
	minorVersion  = regexp.MustCompile(`\d+\.\d+`)
)

// resolveChannel returns the channel of the updates. The mirror has one more channel, "latest", which is ahead of all but
// candidates.
func resolveChannel(spec state.Spec) string {
	release := strings.Replace(getRelease(spec), "latest-", "fast-", 1)
	if updateChannel.MatchString(release) {
		return release
	}
	if minor := minorVersion.FindString(release); minor != "" {
		return "stable-" + minor
	}
	return defaultChannel
}

// The address as answered, as Lieutenant publishes it, or that of VSHN's production, which belongs to the Lieutenant of
// production only.
func resolveVault(s Scope) string {
	address := cmp.Or(s.Spec.Syn.VaultAddress, s.Discovery.Vault)
	if address == "" && trimURL(s.Spec.Syn.LieutenantURL) == "api.syn.vshn.net" {
		address = "https://vault-prod.syn.vshn.net"
	}
	return trimURL(address)
}

// trimURL drops the scheme, credentials, query and trailing slash; "" if text is no URL.
func trimURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return strings.ToLower(u.Host) + strings.TrimRight(u.EscapedPath(), "/")
}

func parseProxyAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), getDefaultPort(u.Scheme)))
}
