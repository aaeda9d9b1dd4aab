// Package release probes the services that a release of OpenShift or OKD comes from.
package release

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
	"exoshift/wizard/reach/probe/registry"
)

// Probe does what a node does first: it finds the image of the release, gets a token for its repository, its
// manifest, and the first bytes of one layer, which another host serves.
func Probe(ctx context.Context, a connection.Client) error {
	wanted, known, err := resolveImage(ctx, a)
	if err != nil {
		return err
	}
	if !known {
		return registry.Probe(ctx, a)
	}
	return registry.Pull(ctx, a, wanted)
}

func resolveImage(ctx context.Context, a connection.Client) (registry.Image, bool, error) {
	version, repository := a.Deps.Task.Version, strings.Trim(a.Target.URL.Path, "/")
	if a.Deps.Task.Distribution == okdDistribution && exactVersion.MatchString(version) {
		if repository == "" {
			repository = okdRepository
		}
		return registry.Image{Repository: repository, Reference: version}, true, nil
	}
	address, err := url.Parse(buildReleaseURL(a.Deps.Task))
	if err != nil || address.Host == "" {
		return registry.Image{}, false, nil
	}
	mirror, err := a.Next(address)
	if err != nil {
		return registry.Image{}, false, err
	}
	answer, err := mirror.Fetch(ctx, connection.Call{URL: address, Limit: maxReleaseText}, http.StatusOK, http.StatusNotFound)
	switch {
	case err != nil:
		return registry.Image{}, false, err
	case answer.Status == http.StatusNotFound:
		return registry.Image{}, false, answer.Fail(reach.Missing, fmt.Errorf("release %s not found", version))
	}
	_, found, err := parseReleaseText(answer.Body)
	if err != nil {
		return registry.Image{}, false, answer.NewProtocolError(err)
	}
	if repository != "" {
		found.Repository = repository
	}
	return found, true, nil
}
