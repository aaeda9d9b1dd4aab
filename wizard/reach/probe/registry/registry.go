// Package registry probes container registries: tokens, manifests, layers.
package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
)

const apiVersion = "Docker-Distribution-Api-Version"

// Probe reads the challenge, and then fetches a token with the credentials of the pull secret.
func Probe(ctx context.Context, a connection.Client) error {
	root := a.BuildURL("/v2/")
	root.Path = "/v2/"
	answer, err := a.Fetch(ctx, connection.Call{URL: root}, http.StatusOK, http.StatusUnauthorized, http.StatusTooManyRequests)
	if err == nil {
		err = handleChallenge(ctx, a, answer)
	}
	return handleRegistryError(a, err)
}

func handleChallenge(ctx context.Context, a connection.Client, answer connection.ServiceReply) error {
	named := strings.HasPrefix(answer.Header.Get(apiVersion), "registry/2")
	offers := parseChallenges(answer.Header.Values("WWW-Authenticate"))
	wanted, withToken := findChallenge(offers, "bearer")
	_, withPassword := findChallenge(offers, "basic")
	switch {
	case answer.Status == http.StatusTooManyRequests:
		return newRateLimitError(answer)
	case answer.Status == http.StatusOK && named:
		return nil
	case answer.Status == http.StatusUnauthorized && withToken:
		_, err := fetchToken(ctx, a, wanted, "")
		return err
	case answer.Status == http.StatusUnauthorized && withPassword && named:
		return checkBasicAuth(ctx, a, answer)
	}
	return answer.NewProtocolError(errors.New("not a container registry"))
}

// Some registries have no tokens, but basic authentication with the pull secret's entry.
func checkBasicAuth(ctx context.Context, a connection.Client, refused connection.ServiceReply) error {
	who, known, err := findCredentials(a.Deps.Task.PullSecret, a.Target.Address(), "")
	switch {
	case err != nil:
		return a.Fail(&a.Layers.HTTP, reach.Credentials, err)
	case !known:
		return refused.Fail(reach.Unauthorized, errAnonymous)
	}
	root := a.BuildURL("/v2/")
	root.Path = "/v2/"
	again, err := a.Next(root)
	if err != nil {
		return err
	}
	request := http.Request{Header: http.Header{}}
	request.SetBasicAuth(who.user, who.password)
	answer, err := again.Fetch(ctx, connection.Call{URL: root, Header: request.Header}, http.StatusOK, http.StatusUnauthorized, http.StatusForbidden)
	if err == nil && answer.Status != http.StatusOK {
		return answer.Fail(reach.Credentials, fmt.Errorf("the pull secret is rejected: %s", answer.Line))
	}
	return err
}

// Failures that show that the registry is reachable become degradations.
func handleRegistryError(a connection.Client, err error) error {
	switch {
	case errors.Is(err, errTooMany):
		a.Record(reach.EvidenceError, errTooMany.Error())
		a.Degrade(reach.Slow)
	case !errors.Is(err, errAnonymous):
		return err
	case a.Deps.Task.PullSecret == "" || a.Check.Group == "third-party": // images of those are pulled anonymously
		a.Notice(reach.Unauthorized)
	default:
		a.Record(reach.EvidenceError, "the pull secret has no entry for "+a.Target.Host)
		a.Degrade(reach.Credentials)
	}
	a.Layers.HTTP = reach.LayerOK
	return nil
}
