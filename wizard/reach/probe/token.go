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

// tokenFor asks who gives tokens for a registry for one, in the name of the pull secret's entry if it has one, and as
// nobody otherwise. The failure of asking as nobody wraps errAnonymous if that is what was refused.
func (a *attempt) tokenFor(ctx context.Context, wanted challenge, repository string) (string, error) {
	who, known, err := credentialsFor(a.prober.task.PullSecret, a.target.address(), repository)
	if err != nil {
		return "", a.fail(&a.layers.HTTP, reach.Credentials, err)
	}
	resource, err := realm(wanted, repository)
	if err != nil {
		return "", a.fail(&a.layers.HTTP, reach.Unexpected, err)
	}
	a.note(evidenceRealm, resource.Host)
	service, err := a.next(resource)
	if err != nil {
		return "", err
	}
	c := call{url: resource, header: http.Header{"Accept": {"application/json"}}}
	if known {
		basic := http.Request{Header: c.header}
		basic.SetBasicAuth(who.user, who.password)
	}
	answer, err := service.ask(ctx, c, http.StatusOK, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests)
	if err != nil {
		return "", err
	}
	return answer.token(known)
}

// realm returns the address at which a registry lets tokens be asked for. Without TLS, none is asked for.
func realm(wanted challenge, repository string) (*url.URL, error) {
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

// token reads the token of an answer.
func (r asked) token(known bool) (string, error) {
	var granted struct {
		Token       string `json:"token"`
		AccessToken string `json:"access_token"`
	}
	switch {
	case isBlocked(r.reply):
		return "", r.by.unexpected(r.reply)
	case r.status == http.StatusTooManyRequests:
		return "", r.tooMany()
	case r.status != http.StatusOK && isPage(r.reply):
		return "", r.by.unexpectedPage(r.reply)
	case r.status != http.StatusOK && known:
		return "", r.fail(reach.Credentials, fmt.Errorf("the pull secret's entry is refused: %s", r.line))
	case r.status != http.StatusOK:
		return "", r.fail(reach.Unauthorized, errAnonymous)
	case json.Unmarshal(r.body, &granted) != nil:
		return "", r.strange(errors.New("what answers gives no tokens: it is not the JSON of one"))
	case granted.Token+granted.AccessToken == "":
		return "", r.strange(errors.New("what answers gives no tokens: there is none in its answer"))
	case granted.Token == "":
		return granted.AccessToken, nil
	}
	return granted.Token, nil
}

// errTooMany is what a registry says that limits how much is pulled.
var errTooMany = errors.New("it lets this address pull only so much in a while, and that is used up")

func (r asked) tooMany() error { return r.fail(reach.Slow, errTooMany) }
