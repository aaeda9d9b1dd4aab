package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"exoshift/wizard/reach"
)

// evidenceRealm is the key of the host that gives tokens for a registry.
const evidenceRealm = "realm"

// errAnonymous means that a registry gives nothing to who does not say who they are.
var errAnonymous = errors.New("the registry wants a login")

// fetchToken asks who gives tokens for a registry for one, in the name of the pull secret's entry if it has one, and as
// nobody otherwise. The failure of asking as nobody wraps errAnonymous if that is what was refused.
func (a *attempt) fetchToken(ctx context.Context, wanted challenge, repository string) (string, error) {
	who, known, err := findCredentials(a.prober.task.PullSecret, a.target.address(), repository)
	if err != nil {
		return "", a.fail(&a.layers.HTTP, reach.Credentials, err)
	}
	resource, err := buildTokenURL(wanted, repository)
	if err != nil {
		return "", a.fail(&a.layers.HTTP, reach.Unexpected, err)
	}
	a.record(evidenceRealm, resource.Host)
	service, err := a.next(resource)
	if err != nil {
		return "", err
	}
	c := call{url: resource, header: http.Header{"Accept": {"application/json"}}}
	if known {
		basic := http.Request{Header: c.header}
		basic.SetBasicAuth(who.user, who.password)
	}
	answer, err := service.fetch(ctx, c, http.StatusOK, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests)
	if err != nil {
		return "", err
	}
	return answer.parseToken(known)
}

// buildTokenURL returns the address at which a registry lets tokens be asked for. Without TLS, none is asked for.
func buildTokenURL(wanted challenge, repository string) (*url.URL, error) {
	address, err := url.Parse(wanted.parameters["realm"])
	if err != nil || address.Scheme != "https" || address.Host == "" {
		return nil, errors.New("the registry names no address with TLS that gives tokens")
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

// parseToken reads the token of an answer.
func (r serviceReply) parseToken(known bool) (string, error) {
	var granted struct {
		Token       string `json:"token"`
		AccessToken string `json:"access_token"`
	}
	switch {
	case isBlocked(r.reply):
		return "", r.by.newStatusError(r.reply)
	case r.status == http.StatusTooManyRequests:
		return "", r.newRateLimitError()
	case r.status != http.StatusOK && isPage(r.reply):
		return "", r.by.newPageError(r.reply)
	case r.status != http.StatusOK && known:
		return "", r.fail(reach.Credentials, fmt.Errorf("the pull secret's entry is refused: %s", r.line))
	case r.status != http.StatusOK:
		return "", r.fail(reach.Unauthorized, errAnonymous)
	case json.Unmarshal(r.body, &granted) != nil:
		return "", r.newProtocolError(errors.New("what answers gives no tokens: it is not the JSON of one"))
	case granted.Token+granted.AccessToken == "":
		return "", r.newProtocolError(errors.New("what answers gives no tokens: there is none in its answer"))
	case granted.Token == "":
		return granted.AccessToken, nil
	}
	return granted.Token, nil
}

// errTooMany is what a registry says that limits how much is pulled.
var errTooMany = errors.New("it lets this address pull only so much in a while, and that is used up")

func (r serviceReply) newRateLimitError() error { return r.fail(reach.Slow, errTooMany) }
