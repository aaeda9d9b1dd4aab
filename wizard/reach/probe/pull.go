package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"exoshift/wizard/reach"
)

type imagePull struct {
	first client // to the registry
	image image
	token string // "": none was wanted yet
	begun bool   // first has made its call
}

// From an index it takes the image for the nodes.
func (p *imagePull) fetchManifest(ctx context.Context) (manifest, error) {
	found, answer, err := p.readManifest(ctx, p.image.reference)
	if err != nil {
		return manifest{}, err
	}
	digest, isList, err := found.findImage()
	if err != nil {
		return manifest{}, answer.fail(reach.Missing, err)
	}
	if isList {
		found, _, err = p.readManifest(ctx, digest)
	}
	return found, err
}

func (p *imagePull) readManifest(ctx context.Context, reference string) (manifest, serviceReply, error) {
	path := "manifests/" + reference
	answer, err := p.call(ctx, path, maxManifest)
	if err == nil && answer.status == http.StatusUnauthorized && p.token == "" {
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
	found, err := parseManifest(answer.body)
	if err != nil {
		return manifest{}, answer, answer.newProtocolError(err)
	}
	return found, answer, nil
}

func (p *imagePull) authenticate(ctx context.Context, answer serviceReply) error {
	wanted, ok := findBearer(parseChallenges(answer.header.Values("WWW-Authenticate")))
	if !ok {
		return answer.newProtocolError(errors.New("what answers is no registry with tokens"))
	}
	var err error
	p.token, err = fetchToken(ctx, answer.by, wanted, p.image.repository)
	p.first.record(evidenceRealm, answer.by.evidence[evidenceRealm])
	return err
}

func (p *imagePull) checkManifest(answer serviceReply) error {
	switch answer.status {
	case http.StatusOK:
		return answer.checkComplete()
	case http.StatusNotFound:
		return answer.fail(reach.Missing, fmt.Errorf("the registry does not have %s", p.image))
	case http.StatusTooManyRequests:
		return newRateLimitError(answer)
	}
	if isBlocked(answer.reply) {
		return answer.by.newStatusError(answer.reply)
	}
	_, known, _ := findCredentials(p.first.deps.Task.PullSecret, p.first.target.address(), p.image.repository)
	if !known {
		return answer.fail(reach.Unauthorized, errAnonymous)
	}
	return answer.fail(reach.Credentials, fmt.Errorf("the pull secret's entry does not allow to pull %s", p.image.repository))
}

// The layer is the smallest one, from the host that the registry redirects to.
func (p *imagePull) fetchLayer(ctx context.Context, from manifest) error {
	smallest, err := from.findSmallestLayer()
	if err != nil {
		return p.first.fail(&p.first.layers.HTTP, reach.Malformed, err)
	}
	answer, err := p.call(ctx, "blobs/"+smallest.Digest, firstBytes)
	switch {
	case err != nil:
		return err
	case answer.status != http.StatusOK && answer.status != http.StatusPartialContent:
		return answer.by.newPageError(answer.reply)
	case !smallest.matchContent(answer.body):
		return answer.newProtocolError(errors.New("what comes is no layer of an image"))
	}
	p.first.record(evidenceCDN, answer.by.target.host)
	return nil
}

func (d descriptor) matchContent(content []byte) bool {
	if strings.HasSuffix(d.MediaType, "gzip") {
		return len(content) > 2 && content[0] == 0x1f && content[1] == 0x8b
	}
	return len(content) > 0 || d.Size == 0
}

func (p *imagePull) call(ctx context.Context, path string, limit int64) (serviceReply, error) {
	resource := p.first.buildURL("")
	resource.Path, resource.RawQuery = "/v2/"+p.image.repository+"/"+path, ""
	at := p.first
	if p.begun {
		var err error
		if at, err = p.first.next(resource); err != nil {
			return serviceReply{}, err
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
	return at.fetch(ctx, call{url: resource, header: header, limit: limit}, http.StatusOK, http.StatusPartialContent,
		http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests)
}
