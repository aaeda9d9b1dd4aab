package reach

import (
	"net"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"al.essio.dev/pkg/shellescape"
)

// ByHand returns a command for a shell that shows by other programs what a check saw; "" if there is none. It holds no
// secret.
func ByHand(check Check, r Result) string {
	by := newManual(check, r)
	switch {
	case by.host == "" || strings.HasPrefix(by.host, "-") || strings.ContainsFunc(by.host, unprintable):
		return ""
	case slices.Contains([]Class{NXDomain, ServFail, DNSTimeout}, r.Class) && check.Kind() != "dns" && check.Kind() != "zone":
		return command("dig", by.host)
	case r.Class == SplitView:
		return command("dig", "+short", by.host) + "; " + command("dig", "+short", by.host, "@1.1.1.1")
	case r.Class == ClockSkew && check.Kind() != "ntp":
		return "date -u; " + command(by.curl("-sI")...) + " | grep -i '^date:'"
	case slices.Contains([]Class{Untrusted, WrongHostname, Expired, TLSFailure}, r.Class) && by.port != "":
		return by.openssl()
	}
	return by.byKind(check)
}

func unprintable(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }

// manual is what commands are made of.
type manual struct {
	kind, host, port string
	proxy            string
	address          url.URL // of what is asked for
}

func newManual(check Check, r Result) manual {
	address, err := url.Parse(check.URL)
	if err != nil {
		return manual{}
	}
	by := manual{kind: check.Kind(), proxy: r.Evidence[EvidenceProxy], address: *address}
	by.host, by.port = address.Hostname(), portOf(check.Target())
	by.address.User, by.address.Fragment, by.address.Scheme = nil, "", "https"
	if by.kind == "http" {
		by.address.Scheme = "http"
	}
	by.address.Path = pathOf(by.kind, address.Path)
	if elsewhere := r.Evidence[EvidenceHost]; elsewhere != "" && hostOf(elsewhere) != by.host {
		by.host, by.port = hostOf(elsewhere), portOf(elsewhere)
		if by.port == "" {
			by.port = "443"
		}
		by.address = url.URL{Scheme: "https", Host: strings.TrimSuffix(elsewhere, ":443"), Path: "/"}
	}
	return by
}

// pathOf returns what a kind asks a server for.
func pathOf(kind, given string) string {
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

func (by manual) byKind(check Check) string {
	switch by.kind {
	case "ssh":
		return command("ssh-keyscan", "-T", "5", "-p", by.port, by.host)
	case "ntp":
		return command("ntpdate", "-q", by.host)
	case "dns":
		return command("dig", "@"+by.host, "-p", by.port, strings.Trim(by.address.Path, "/"))
	case "zone":
		return command("dig", "+nssearch", by.host)
	case "tcp", "closed":
		return by.netcat()
	case "tls":
		return by.openssl()
	case "proxy":
		return command("curl", "-v", "-o", "/dev/null", "--max-time", "20", "-x", "http://"+check.Target(), "https://quay.io/v2/")
	}
	return command(by.curl("-v")...)
}

func (by manual) curl(show string) []string {
	words := []string{"curl", show, "-o", "/dev/null", "--max-time", "20"}
	if show == "-sI" {
		words = []string{"curl", show, "--max-time", "20"}
	}
	if by.proxy != "" {
		words = append(words, "-x", "http://"+by.proxy)
	}
	return append(words, by.address.String())
}

func (by manual) openssl() string {
	words := []string{"openssl", "s_client", "-connect", net.JoinHostPort(by.host, by.port), "-servername", by.host}
	if by.proxy != "" {
		words = append(words, "-proxy", by.proxy)
	}
	return command(words...) + " </dev/null"
}

func (by manual) netcat() string {
	words := []string{"nc", "-vz", "-w", "5"}
	if by.proxy != "" {
		words = append(words, "-X", "connect", "-x", by.proxy)
	}
	return command(append(words, by.host, by.port)...)
}

func command(words ...string) string {
	return shellescape.QuoteCommand(slices.DeleteFunc(words, func(word string) bool { return word == "" }))
}

// portOf returns the port of a target, or "".
func portOf(target string) string {
	_, port, err := net.SplitHostPort(target)
	if err != nil {
		return ""
	}
	return port
}
