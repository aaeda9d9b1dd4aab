package reach

import (
	"cmp"
	"net"
	"net/url"
	"regexp"
	"strings"

	"exoshift/state"
)

// usualChannel is what is asked about as long as nobody said which release is wanted.
const usualChannel = "stable-4.21"

// placeholder is a part of a URL of the catalogue that the answers decide.
type placeholder struct {
	value func(Scope) string // "": it is not known
	lacks string             // what has to be known for it, after "answer"
}

// placeholders returns all placeholders by their names in the catalogue.
func placeholders() map[string]placeholder {
	const domainLacks = "cluster.id and cluster.baseDomain"
	asked := func(value func(state.Spec) string) func(Scope) string {
		return func(s Scope) string { return value(s.Spec) }
	}
	return map[string]placeholder{
		"zone":        {asked(func(s state.Spec) string { return s.Exoscale.Zone }), "exoscale.zone"},
		"base":        {asked(func(s state.Spec) string { return s.Cluster.BaseDomain }), "cluster.baseDomain"},
		"domain":      {asked(domainOf), domainLacks},
		"apps":        {asked(appsOf), domainLacks},
		"version":     {asked(releaseOf), "openshift.version"},
		"okd":         {asked(okdOf), "openshift.distribution okd and openshift.version"},
		"channel":     {asked(channelOf), "openshift.version"},
		"lieutenant":  {asked(func(s state.Spec) string { return bare(s.Syn.LieutenantURL) }), "syn.lieutenantURL"},
		"sso":         {func(s Scope) string { return bare(s.Discovery.OIDC) }, "syn.lieutenantURL; Lieutenant says it, once it can be reached"},
		"vault":       {vaultOf, "syn.vaultAddress"},
		"http-proxy":  {asked(func(s state.Spec) string { return proxyAddress(s.OpenShift.Proxy.HTTP) }), "openshift.proxy.http"},
		"https-proxy": {asked(func(s state.Spec) string { return proxyAddress(s.OpenShift.Proxy.HTTPS) }), "openshift.proxy.https"},
	}
}

// fill puts values into a URL of the catalogue. It returns the first placeholder whose value is not known.
func (s Scope) fill(address string) (filled, unknown string) {
	known := placeholders()
	filled = regexp.MustCompile(`\{[a-z-]+\}`).ReplaceAllStringFunc(address, func(name string) string {
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

// lacking says what to do so that a placeholder is known.
func lacking(name string) string {
	return "answer " + cmp.Or(placeholders()[name].lacks, "more")
}

func domainOf(spec state.Spec) string {
	if spec.Cluster.ID == "" || spec.Cluster.BaseDomain == "" {
		return ""
	}
	return spec.Domain()
}

func appsOf(spec state.Spec) string {
	if spec.DNS.AppsDomain == "" && domainOf(spec) == "" {
		return ""
	}
	return spec.AppsDomain()
}

// releaseOf returns the version or the channel of OpenShift Container Platform.
func releaseOf(spec state.Spec) string {
	if version := spec.OpenShift.Version; version != "" && !strings.Contains(version, "-okd-") {
		return url.PathEscape(version)
	}
	return usualChannel
}

func okdOf(spec state.Spec) string {
	if version := spec.OpenShift.Version; strings.Contains(version, "-okd-") {
		return url.PathEscape(version)
	}
	return ""
}

// channelOf returns the channel that updates come from. The mirror knows a channel more, "latest", which is ahead of all
// but candidates.
func channelOf(spec state.Spec) string {
	release := strings.Replace(releaseOf(spec), "latest-", "fast-", 1)
	if channel := regexp.MustCompile(`^(?:stable|fast|candidate)-\d+\.\d+$`); channel.MatchString(release) {
		return release
	}
	if minor := regexp.MustCompile(`\d+\.\d+`).FindString(release); minor != "" {
		return "stable-" + minor
	}
	return usualChannel
}

// vaultOf returns the address of Vault: as answered, as Lieutenant says, or that of VSHN's production, which belongs to
// the Lieutenant of production only.
func vaultOf(s Scope) string {
	address := cmp.Or(s.Spec.Syn.VaultAddress, s.Discovery.Vault)
	if address == "" && bare(s.Spec.Syn.LieutenantURL) == "api.syn.vshn.net" {
		address = "https://vault-prod.syn.vshn.net"
	}
	return bare(address)
}

// bare returns a URL without its scheme, credentials, question and slash at the end; "" if it is none.
func bare(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return strings.ToLower(u.Host) + strings.TrimRight(u.EscapedPath(), "/")
}

// proxyAddress returns the "host:port" of a proxy's URL.
func proxyAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), usualPort(u.Scheme)))
}
