package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
)

// evidenceRealm is the key of a registry's token service.
const evidenceRealm = "realm"

// errAnonymous means that a registry refuses anonymous pulls.
var errAnonymous = errors.New("the registry requires authentication")

// fetchToken uses the credentials of the pull secret's entry, if there is one, and is anonymous otherwise. If the
// anonymous request was refused, the error wraps errAnonymous.
func fetchToken(ctx context.Context, a connection.Client, wanted challenge, repository string) (string, error) {
	who, known, err := findCredentials(a.Deps.Task.PullSecret, a.Target.Address(), repository)
	if err != nil {
		return "", a.Fail(&a.Layers.HTTP, reach.Credentials, err)
	}
	resource, err := buildTokenURL(wanted, repository)
	if err != nil {
		return "", a.Fail(&a.Layers.HTTP, reach.Unexpected, err)
	}
	a.Record(evidenceRealm, resource.Host)
	service, err := a.Next(resource)
	if err != nil {
		return "", err
	}
	c := connection.Call{URL: resource, Header: http.Header{"Accept": {"application/json"}}}
	if known {
		basic := http.Request{Header: c.Header}
		basic.SetBasicAuth(who.user, who.password)
	}
	answer, err := service.Fetch(ctx, c, http.StatusOK, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests)
	if err != nil {
		return "", err
	}
	return parseToken(answer, known)
}

// Without TLS, no token is requested.
func buildTokenURL(wanted challenge, repository string) (*url.URL, error) {
	address, err := url.Parse(wanted.parameters["realm"])
	if err != nil || address.Scheme != "https" || address.Host == "" {
		return nil, errors.New("the registry names no https token endpoint")
	}
	query := address.Query()
	for _, name := range []string{"service", "scope"} {
		if value := wanted.parameters[name]; value != "" {
			query.Set(name, value)
		}
	}
	if query.Get("scope") == "" && repository != "" {
		query.Set("scope", "repository:"+repository+":pull")
	}
	address.RawQuery, address.User, address.Fragment = query.Encode(), nil, ""
	return address, nil
}

func parseToken(r connection.ServiceReply, known bool) (string, error) {
	var granted struct {
		Token       string `json:"token"`
		AccessToken string `json:"access_token"`
	}
	switch {
	case connection.IsBlocked(r.Reply):
		return "", r.By.NewStatusError(r.Reply)
	case r.Status == http.StatusTooManyRequests:
		return "", newRateLimitError(r)
	case r.Status != http.StatusOK && connection.IsPage(r.Reply):
		return "", r.By.NewPageError(r.Reply)
	case r.Status != http.StatusOK && known:
		return "", r.Fail(reach.Credentials, fmt.Errorf("the pull secret is rejected: %s", r.Line))
	case r.Status != http.StatusOK:
		return "", r.Fail(reach.Unauthorized, errAnonymous)
	case json.Unmarshal(r.Body, &granted) != nil:
		return "", r.NewProtocolError(errors.New("invalid token response: not JSON"))
	case granted.Token+granted.AccessToken == "":
		return "", r.NewProtocolError(errors.New("invalid token response: no token"))
	case granted.Token == "":
		return granted.AccessToken, nil
	}
	return granted.Token, nil
}

var errTooMany = errors.New("pull rate limit of this address exceeded")

func newRateLimitError(r connection.ServiceReply) error { return r.Fail(reach.Slow, errTooMany) }
