// Package command writes commands that repeat a connectivity check by hand, with other programs.
package command

import (
	"cmp"
	"net"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"al.essio.dev/pkg/shellescape"

	"exoshift/wizard/reach"
)

// Build returns a shell command that reproduces a check with other programs; "" if there is none. It holds no
// secret.
func Build(check reach.Check, r reach.Result) string {
	by := newBuilder(check, r)
	switch {
	case by.host == "" || strings.HasPrefix(by.host, "-") || strings.ContainsFunc(by.host, isUnprintable):
		return ""
	case slices.Contains([]reach.Class{reach.NXDomain, reach.ServFail, reach.DNSTimeout}, r.Class) && check.Kind() != "dns" && check.Kind() != "zone":
		return quoteCommand("dig", by.host)
	case r.Class == reach.SplitView:
		return quoteCommand("dig", "+short", by.host) + "; " + quoteCommand("dig", "+short", by.host, "@1.1.1.1")
	case r.Class == reach.ClockSkew && check.Kind() != "ntp":
		return "date -u; " + quoteCommand(by.buildCurl("-sI")...) + " | grep -i '^date:'"
	case slices.Contains([]reach.Class{reach.Untrusted, reach.WrongHostname, reach.Expired, reach.TLSFailure}, r.Class) && by.port != "":
		return by.buildOpenSSL()
	}
	return by.buildByKind(check)
}

func isUnprintable(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }

type builder struct {
	kind, host, port string
	proxy            string
	address          url.URL // of the request
}

func newBuilder(check reach.Check, r reach.Result) builder {
	address, err := url.Parse(check.URL)
	if err != nil {
		return builder{}
	}
	by := builder{kind: check.Kind(), proxy: r.Evidence[reach.EvidenceProxy], address: *address}
	by.host, by.port = address.Hostname(), parsePort(check.Target())
	by.address.User, by.address.Fragment, by.address.Scheme = nil, "", "https"
	if by.kind == "http" {
		by.address.Scheme = "http"
	}
	by.address.Path = resolvePath(by.kind, address.Path)
	host, port, err := net.SplitHostPort(r.Evidence[reach.EvidenceHost])
	if err != nil {
		host, port = r.Evidence[reach.EvidenceHost], "443"
	}
	if elsewhere := r.Evidence[reach.EvidenceHost]; elsewhere != "" && host != by.host {
		by.host, by.port = host, cmp.Or(port, "443")
		by.address = url.URL{Scheme: "https", Host: strings.TrimSuffix(elsewhere, ":443"), Path: "/"}
	}
	return by
}

// The path that a kind of probe requests.
func resolvePath(kind, given string) string {
	usual := map[string]string{
		"registry": "/v2/", "release": "/v2/", "acme": "/directory", "vault": "/v1/sys/health", "lieutenant": "/healthz",
		"oidc": "/.well-known/openid-configuration", "graph": "/api/upgrades_info/v1/graph",
	}[kind]
	if bare := strings.TrimSuffix(given, "/"); bare == "" && usual != "" {
		return usual
	} else if kind == "oidc" && !strings.HasSuffix(bare, usual) {
		return bare + usual
	}
	return given
}

func (by builder) buildByKind(check reach.Check) string {
	switch by.kind {
	case "ssh":
		return quoteCommand("ssh-keyscan", "-T", "5", "-p", by.port, by.host)
	case "ntp":
		return quoteCommand("ntpdate", "-q", by.host)
	case "dns":
		return quoteCommand("dig", "@"+by.host, "-p", by.port, strings.Trim(by.address.Path, "/"))
	case "zone":
		return quoteCommand("dig", "+nssearch", by.host)
	case "tcp", "closed":
		return by.buildNetcat()
	case "tls":
		return by.buildOpenSSL()
	case "proxy":
		return quoteCommand("curl", "-v", "-o", "/dev/null", "--max-time", "20", "-x", "http://"+check.Target(), "https://quay.io/v2/")
	}
	return quoteCommand(by.buildCurl("-v")...)
}

func (by builder) buildCurl(show string) []string {
	words := []string{"curl", show, "-o", "/dev/null", "--max-time", "20"}
	if show == "-sI" {
		words = []string{"curl", show, "--max-time", "20"}
	}
	if by.proxy != "" {
		words = append(words, "-x", "http://"+by.proxy)
	}
	return append(words, by.address.String())
}

func (by builder) buildOpenSSL() string {
	words := []string{"openssl", "s_client", "-connect", net.JoinHostPort(by.host, by.port), "-servername", by.host}
	if by.proxy != "" {
		words = append(words, "-proxy", by.proxy)
	}
	return quoteCommand(words...) + " </dev/null"
}

func (by builder) buildNetcat() string {
	words := []string{"nc", "-vz", "-w", "5"}
	if by.proxy != "" {
		words = append(words, "-X", "connect", "-x", by.proxy)
	}
	return quoteCommand(append(words, by.host, by.port)...)
}

func quoteCommand(words ...string) string {
	return shellescape.QuoteCommand(slices.DeleteFunc(words, func(word string) bool { return word == "" }))
}

func parsePort(target string) string {
	_, port, err := net.SplitHostPort(target)
	if err != nil {
		return ""
	}
	return port
}
