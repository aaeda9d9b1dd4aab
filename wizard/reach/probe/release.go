package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"exoshift/wizard/reach"
)

const (
	// evidenceCDN is the key of the host that serves the layers of images.
	evidenceCDN = "cdn"
	// firstBytes is how much of a layer is read.
	firstBytes = 1 << 10
)

// probeRelease does what a node does first: it finds the image of the release, gets a token for its repository, its
// manifest, and the first bytes of one layer, which another host serves.
func probeRelease(ctx context.Context, a client) error {
	wanted, known, err := resolveImage(ctx, a)
	if err != nil {
		return err
	}
	if !known {
		return probeRegistry(ctx, a)
	}
	puller := imagePull{first: a, image: wanted}
	found, err := puller.fetchManifest(ctx)
	if err == nil {
		err = puller.fetchLayer(ctx, found)
	}
	return handlePullError(a, err)
}

// A missing pull secret is no failure; one without an entry for the registry is.
func handlePullError(a client, err error) error {
	if errors.Is(err, errAnonymous) && a.deps.Task.PullSecret != "" {
		return a.fail(&a.layers.HTTP, reach.Credentials, fmt.Errorf("the pull secret has no entry for %s", a.target.host))
	}
	return handleRegistryError(a, err)
}

func resolveImage(ctx context.Context, a client) (image, bool, error) {
	version, repository := a.deps.Task.Version, strings.Trim(a.target.url.Path, "/")
	if a.deps.Task.Distribution == okdDistribution && exactVersion.MatchString(version) {
		if repository == "" {
			repository = okdRepository
		}
		return image{repository, version}, true, nil
	}
	address, err := url.Parse(buildReleaseURL(a.deps.Task))
	if err != nil || address.Host == "" {
		return image{}, false, nil
	}
	mirror, err := a.next(address)
	if err != nil {
		return image{}, false, err
	}
	answer, err := mirror.fetch(ctx, call{url: address, limit: maxReleaseText}, http.StatusOK, http.StatusNotFound)
	switch {
	case err != nil:
		return image{}, false, err
	case answer.status == http.StatusNotFound:
		return image{}, false, answer.fail(reach.Missing, fmt.Errorf("there is no release %s", version))
	}
	_, found, err := parseReleaseText(answer.body)
	if err != nil {
		return image{}, false, answer.newProtocolError(err)
	}
	if repository != "" {
		found.repository = repository
	}
	return found, true, nil
}
