package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"exoshift/wizard/reach"
)

// apiVersion is the header by which registries are told from everything else.
const apiVersion = "Docker-Distribution-Api-Version"

// probeRegistry asks a container registry who we have to be, and then for a token as whoever the pull secret says.
func probeRegistry(ctx context.Context, a *attempt) error {
	root := a.resource("/v2/")
	root.Path = "/v2/"
	answer, err := a.ask(ctx, call{url: root}, http.StatusOK, http.StatusUnauthorized, http.StatusTooManyRequests)
	if err == nil {
		err = a.enter(ctx, answer)
	}
	return a.tolerate(err)
}

// enter does what a registry wants first.
func (a *attempt) enter(ctx context.Context, answer asked) error {
	named := strings.HasPrefix(answer.header.Get(apiVersion), "registry/2")
	offers := challenges(answer.header.Values("WWW-Authenticate"))
	wanted, withToken := challengeOf(offers, "bearer")
	_, withPassword := challengeOf(offers, "basic")
	switch {
	case answer.status == http.StatusTooManyRequests:
		return answer.tooMany()
	case answer.status == http.StatusOK && named:
		return nil
	case answer.status == http.StatusUnauthorized && withToken:
		_, err := a.tokenFor(ctx, wanted, "")
		return err
	case answer.status == http.StatusUnauthorized && withPassword && named:
		return a.logIn(ctx, answer)
	}
	return answer.strange(errors.New("what answers is no registry"))
}

// logIn asks a registry that has no tokens in the name of the pull secret's entry.
func (a *attempt) logIn(ctx context.Context, refused asked) error {
	who, known, err := credentialsFor(a.prober.task.PullSecret, a.target.address(), "")
	switch {
	case err != nil:
		return a.fail(&a.layers.HTTP, reach.Credentials, err)
	case !known:
		return refused.fail(reach.Unauthorized, errAnonymous)
	}
	root := a.resource("/v2/")
	root.Path = "/v2/"
	again, err := a.next(root)
	if err != nil {
		return err
	}
	request := http.Request{Header: http.Header{}}
	request.SetBasicAuth(who.user, who.password)
	answer, err := again.ask(ctx, call{url: root, header: request.Header}, http.StatusOK, http.StatusUnauthorized, http.StatusForbidden)
	if err == nil && answer.status != http.StatusOK {
		return answer.fail(reach.Credentials, fmt.Errorf("the pull secret's entry is refused: %s", answer.line))
	}
	return err
}

// tolerate makes remarks of those failures of a registry that show that it is reached.
func (a *attempt) tolerate(err error) error {
	switch {
	case errors.Is(err, errTooMany):
		a.note(reach.EvidenceError, errTooMany.Error())
		a.degrade(reach.Slow)
	case !errors.Is(err, errAnonymous):
		return err
	case a.prober.task.PullSecret == "" || a.check.Group == "third-party": // from those, images are pulled as nobody
		a.probe.aside = reach.Unauthorized
	default:
		a.note(reach.EvidenceError, "the pull secret has no entry for "+a.target.host)
		a.degrade(reach.Credentials)
	}
	a.layers.HTTP = reach.LayerOK
	return nil
}
