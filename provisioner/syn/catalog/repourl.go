package catalog

import (
	"math"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-git/go-git/v5/plumbing/transport"

	"exoshift/internal/fault"
	"exoshift/internal/text"
)

const (
	overHTTPS = "https"
	overSSH   = "ssh"
	sshPort   = 22
	maxURL    = 500
)

// repoURL never holds a password.
type repoURL struct {
	scheme, user, host string
	port               int // 0: the default
	path               string
}

// parseRepoURL converts SSH URLs to HTTPS if there is a token.
func parseRepoURL(address string, token bool) (repoURL, error) {
	const op = "read the address of a Git repository"
	if len(address) > maxURL || strings.IndexFunc(address, unicode.IsControl) >= 0 {
		return repoURL{}, fault.Newf(fault.Invalid, op, "it is too long or has control characters")
	}
	if !strings.Contains(address, "://") { // as in git@host:path
		if host, path, found := strings.Cut(address, ":"); found && strings.Contains(host, "@") && !strings.Contains(host, "/") {
			address = "ssh://" + host + "/" + strings.TrimPrefix(path, "/")
		}
	}
	u, err := url.Parse(address)
	if err != nil { // the error's text would contain a password
		return repoURL{}, fault.Newf(fault.Invalid, op, "it is not a URL").WithHint("correct it in Lieutenant")
	}
	p := repoURL{scheme: u.Scheme, user: u.User.Username(), host: strings.ToLower(u.Hostname()), path: strings.TrimRight(u.Path, "/")}
	p.port, _ = strconv.Atoi(u.Port())
	if !p.isValid() {
		return repoURL{}, fault.Newf(fault.Invalid, op, "%s is not supported", p).
			WithHint("in Lieutenant, set it to ssh://git@host/path.git or https://host/path.git")
	}
	if token && p.scheme == overSSH {
		p.scheme, p.port = overHTTPS, 0
	}
	return p, nil
}

func (p repoURL) isValid() bool {
	if p.scheme != overSSH && p.scheme != overHTTPS || p.host == "" || strings.HasPrefix(p.host, "-") {
		return false
	}
	if p.port < 0 || p.port > math.MaxUint16 || text.Sanitize(p.user+p.host+p.path) != p.user+p.host+p.path || strings.Contains(p.host, "%") {
		return false // a decoded %0a, or the zone of a link-local address
	}
	if _, err := netip.ParseAddr(p.host); err != nil && strings.Contains(p.host, ":") {
		return false // only an IPv6 address has colons
	}
	if strings.HasPrefix(p.user, "-") || strings.HasPrefix(p.path, "/-") || strings.Trim(p.path, "/") == "" {
		return false
	}
	return !strings.Contains(p.path+"/", "/../")
}

// String returns the URL for messages.
func (p repoURL) String() string {
	u := url.URL{Scheme: p.scheme, Host: p.hostPort(), Path: p.path}
	if p.scheme == overSSH {
		u.User = url.User(p.sshUser())
	}
	return u.String()
}

func (p repoURL) sshUser() string {
	if p.user == "" {
		return "git"
	}
	return p.user
}

func (p repoURL) sshAddress() string {
	port := p.port
	if port == 0 {
		port = sshPort
	}
	return net.JoinHostPort(p.host, strconv.Itoa(port))
}

// hostPort omits the default port.
func (p repoURL) hostPort() string {
	switch {
	case p.port == 0 && strings.Contains(p.host, ":"): // an IPv6 address
		return "[" + p.host + "]"
	case p.port == 0:
		return p.host
	}
	return net.JoinHostPort(p.host, strconv.Itoa(p.port))
}

// projectPath is the path of the project in GitLab's API.
func (p repoURL) projectPath() string { return strings.TrimSuffix(strings.Trim(p.path, "/"), ".git") }

func (p repoURL) toEndpoint() *transport.Endpoint {
	return &transport.Endpoint{Protocol: p.scheme, Host: p.host, Port: p.port, Path: p.path}
}
