package catalog

import (
	"fmt"
	"net/http"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"exoshift/internal/network"
	"exoshift/internal/text"
)

// tokenUser is the user name that GitLab expects with a token.
const tokenUser = "oauth2"

const maxHost = 253 // characters

// newHTTPSTransport sends credentials only to the host of the URL.
func newHTTPSTransport(n network.Network) transport.Transport {
	return githttp.NewClient(newHTTPClient(n, maxPack))
}

// newHTTPClient stays at one host, and reads at most so many bytes of a response.
func newHTTPClient(n network.Network, most int64) *http.Client {
	limits := network.Limits{Bytes: most, Time: gitLimit}
	return &http.Client{Transport: limits.Wrap(n.NewTransport()), CheckRedirect: checkRedirect}
}

// checkRedirect follows redirects within a host: Git hosts rename projects.
func checkRedirect(request *http.Request, via []*http.Request) error {
	from := via[0].URL
	if to := request.URL; to.Host != from.Host || to.Scheme != from.Scheme || len(via) > 3 {
		return fmt.Errorf("%s redirects to %s", from.Host, text.Sanitize(to.Host, text.WithLimit(maxHost)))
	}
	return nil
}

// newAuth returns nil without a token.
func (a Access) newAuth() transport.AuthMethod {
	if a.Token == "" {
		return nil
	}
	return &githttp.BasicAuth{Username: tokenUser, Password: a.Token}
}
