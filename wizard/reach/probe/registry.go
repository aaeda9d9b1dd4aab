package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"exoshift/wizard/reach"
)

const apiVersion = "Docker-Distribution-Api-Version"

// probeRegistry reads the challenge, and then fetches a token with the credentials of the pull secret.
func probeRegistry(ctx context.Context, a client) error {
	root := a.buildURL("/v2/")
	root.Path = "/v2/"
	answer, err := a.fetch(ctx, call{url: root}, http.StatusOK, http.StatusUnauthorized, http.StatusTooManyRequests)
	if err == nil {
		err = handleChallenge(ctx, a, answer)
	}
	return handleRegistryError(a, err)
}

func handleChallenge(ctx context.Context, a client, answer serviceReply) error {
	named := strings.HasPrefix(answer.header.Get(apiVersion), "registry/2")
	offers := parseChallenges(answer.header.Values("WWW-Authenticate"))
	wanted, withToken := findChallenge(offers, "bearer")
	_, withPassword := findChallenge(offers, "basic")
	switch {
	case answer.status == http.StatusTooManyRequests:
		return newRateLimitError(answer)
	case answer.status == http.StatusOK && named:
		return nil
	case answer.status == http.StatusUnauthorized && withToken:
		_, err := fetchToken(ctx, a, wanted, "")
		return err
	case answer.status == http.StatusUnauthorized && withPassword && named:
		return checkBasicAuth(ctx, a, answer)
	}
	return answer.newProtocolError(errors.New("what answers is no registry"))
}

// Some registries have no tokens, but basic authentication with the pull secret's entry.
func checkBasicAuth(ctx context.Context, a client, refused serviceReply) error {
	who, known, err := findCredentials(a.deps.Task.PullSecret, a.target.address(), "")
	switch {
	case err != nil:
		return a.fail(&a.layers.HTTP, reach.Credentials, err)
	case !known:
		return refused.fail(reach.Unauthorized, errAnonymous)
	}
	root := a.buildURL("/v2/")
	root.Path = "/v2/"
	again, err := a.next(root)
	if err != nil {
		return err
	}
	request := http.Request{Header: http.Header{}}
	request.SetBasicAuth(who.user, who.password)
	answer, err := again.fetch(ctx, call{url: root, header: request.Header}, http.StatusOK, http.StatusUnauthorized, http.StatusForbidden)
	if err == nil && answer.status != http.StatusOK {
		return answer.fail(reach.Credentials, fmt.Errorf("the pull secret's entry is refused: %s", answer.line))
	}
	return err
}

// Failures that show that the registry is reachable become degradations.
func handleRegistryError(a client, err error) error {
	switch {
	case errors.Is(err, errTooMany):
		a.record(reach.EvidenceError, errTooMany.Error())
		a.degrade(reach.Slow)
	case !errors.Is(err, errAnonymous):
		return err
	case a.deps.Task.PullSecret == "" || a.check.Group == "third-party": // images of those are pulled anonymously
		a.state.notice = reach.Unauthorized
	default:
		a.record(reach.EvidenceError, "the pull secret has no entry for "+a.target.host)
		a.degrade(reach.Credentials)
	}
	a.layers.HTTP = reach.LayerOK
	return nil
}
