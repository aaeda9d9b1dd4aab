package catalog

import (
	"fmt"
	"io"
	"net/http"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"exoshift/internal/network"
)

// tokenUser is whom a Git host takes the owner of a token for.
const tokenUser = "oauth2"

// overTLS is the transport over HTTPS. Credentials go to no other host than the one that was named.
func overTLS(n network.Network) transport.Transport {
	return githttp.NewClient(client(n, mostPack))
}

// client returns an HTTP client that stays at one host, and reads at most so many bytes of an answer.
func client(n network.Network, most int64) *http.Client {
	c := n.Client()
	c.Transport = bounded{c.Transport, most}
	c.CheckRedirect = func(request *http.Request, via []*http.Request) error {
		from := via[0].URL
		if to := request.URL; to.Host != from.Host || to.Scheme != from.Scheme || len(via) > 3 {
			return fmt.Errorf("%s leads away to %s", from.Host, printable(to.Host))
		}
		return nil
	}
	return c
}

// bounded bounds the size of answers.
type bounded struct {
	http.RoundTripper
	most int64
}

// RoundTrip is that of http.RoundTripper.
func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{&limited{from: response.Body, left: b.most}, response.Body}
	return response, nil
}

// auth is how we prove over HTTPS who we are; nil: not at all.
func (a Access) auth() transport.AuthMethod {
	if a.Token == "" {
		return nil
	}
	return &githttp.BasicAuth{Username: tokenUser, Password: a.Token}
}
