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

// Pull fetches the manifest of an image, and the first bytes of its smallest layer.
func Pull(ctx context.Context, a connection.Client, wanted Image) error {
	puller := imagePull{first: a, image: wanted}
	found, err := puller.fetchManifest(ctx)
	if err == nil {
		err = puller.fetchLayer(ctx, found)
	}
	return handlePullError(a, err)
}

type imagePull struct {
	first connection.Client // to the registry
	image Image
	token string // "": none was wanted yet
	begun bool   // first has made its call
}

// From an index it takes the image for the nodes.
func (p *imagePull) fetchManifest(ctx context.Context) (manifest, error) {
	found, answer, err := p.readManifest(ctx, p.image.Reference)
	if err != nil {
		return manifest{}, err
	}
	digest, isList, err := found.findImage()
	if err != nil {
		return manifest{}, answer.Fail(reach.Missing, err)
	}
	if isList {
		found, _, err = p.readManifest(ctx, digest)
	}
	return found, err
}

func (p *imagePull) readManifest(ctx context.Context, reference string) (manifest, connection.ServiceReply, error) {
	path := "manifests/" + reference
	answer, err := p.call(ctx, path, maxManifest)
	if err == nil && answer.Status == http.StatusUnauthorized && p.token == "" {
		if err = p.authenticate(ctx, answer); err == nil {
			answer, err = p.call(ctx, path, maxManifest)
		}
	}
	if err == nil {
		err = p.checkManifest(answer)
	}
	if err != nil {
		return manifest{}, answer, err
	}
	found, err := parseManifest(answer.Body)
	if err != nil {
		return manifest{}, answer, answer.NewProtocolError(err)
	}
	return found, answer, nil
}

func (p *imagePull) authenticate(ctx context.Context, answer connection.ServiceReply) error {
	wanted, ok := findBearer(parseChallenges(answer.Header.Values("WWW-Authenticate")))
	if !ok {
		return answer.NewProtocolError(errors.New("not a registry with token authentication"))
	}
	var err error
	p.token, err = fetchToken(ctx, answer.By, wanted, p.image.Repository)
	p.first.Record(evidenceRealm, answer.By.Evidence[evidenceRealm])
	return err
}

func (p *imagePull) checkManifest(answer connection.ServiceReply) error {
	switch answer.Status {
	case http.StatusOK:
		return answer.CheckComplete()
	case http.StatusNotFound:
		return answer.Fail(reach.Missing, fmt.Errorf("the registry does not have %s", p.image))
	case http.StatusTooManyRequests:
		return newRateLimitError(answer)
	}
	if connection.IsBlocked(answer.Reply) {
		return answer.By.NewStatusError(answer.Reply)
	}
	_, known, _ := findCredentials(p.first.Deps.Task.PullSecret, p.first.Target.Address(), p.image.Repository)
	if !known {
		return answer.Fail(reach.Unauthorized, errAnonymous)
	}
	return answer.Fail(reach.Credentials, fmt.Errorf("the pull secret is not authorized to pull %s", p.image.Repository))
}

// The layer is the smallest one, from the host that the registry redirects to.
func (p *imagePull) fetchLayer(ctx context.Context, from manifest) error {
	smallest, err := from.findSmallestLayer()
	if err != nil {
		return p.first.Fail(&p.first.Layers.HTTP, reach.Malformed, err)
	}
	answer, err := p.call(ctx, "blobs/"+smallest.Digest, firstBytes)
	switch {
	case err != nil:
		return err
	case answer.Status != http.StatusOK && answer.Status != http.StatusPartialContent:
		return answer.By.NewPageError(answer.Reply)
	case !smallest.matchContent(answer.Body):
		return answer.NewProtocolError(errors.New("the response is not an image layer"))
	}
	p.first.Record(evidenceCDN, answer.By.Target.Host)
	return nil
}

func (d descriptor) matchContent(content []byte) bool {
	if strings.HasSuffix(d.MediaType, "gzip") {
		return len(content) > 2 && content[0] == 0x1f && content[1] == 0x8b
	}
	return len(content) > 0 || d.Size == 0
}

func (p *imagePull) call(ctx context.Context, path string, limit int64) (connection.ServiceReply, error) {
	resource := p.first.BuildURL("")
	resource.Path, resource.RawQuery = "/v2/"+p.image.Repository+"/"+path, ""
	at := p.first
	if p.begun {
		var err error
		if at, err = p.first.Next(resource); err != nil {
			return connection.ServiceReply{}, err
		}
	}
	p.begun = true
	header := http.Header{"Accept": {dockerManifest, dockerList, ociManifest, ociIndex}}
	if limit == firstBytes {
		header = http.Header{"Range": {fmt.Sprintf("bytes=0-%d", firstBytes-1)}}
	}
	if p.token != "" {
		header.Set("Authorization", "Bearer "+p.token)
	}
	return at.Fetch(ctx, connection.Call{URL: resource, Header: header, Limit: limit}, http.StatusOK, http.StatusPartialContent,
		http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests)
}

const (
	// evidenceCDN is the key of the host that serves the layers of images.
	evidenceCDN = "cdn"
	// firstBytes is how much of a layer is read.
	firstBytes = 1 << 10
)

// A missing pull secret is no failure; one without an entry for the registry is.
func handlePullError(a connection.Client, err error) error {
	if errors.Is(err, errAnonymous) && a.Deps.Task.PullSecret != "" {
		return a.Fail(&a.Layers.HTTP, reach.Credentials, fmt.Errorf("the pull secret has no entry for %s", a.Target.Host))
	}
	return handleRegistryError(a, err)
}
