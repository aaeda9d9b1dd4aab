package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"exoshift/wizard/reach"
)

// pull takes the first bytes of an image, as a node would.
type pull struct {
	first *attempt // at the registry
	image image
	token string // "": none was wanted yet
	begun bool   // first made its call
}

// manifest returns the image's manifest; of a list, that of the image for the nodes.
func (p *pull) manifest(ctx context.Context) (manifest, error) {
	found, answer, err := p.read(ctx, p.image.reference)
	if err != nil {
		return manifest{}, err
	}
	digest, isList, err := found.image()
	if err != nil {
		return manifest{}, answer.fail(reach.Missing, err)
	}
	if isList {
		found, _, err = p.read(ctx, digest)
	}
	return found, err
}

// read gets one manifest, with a token if the registry wants one.
func (p *pull) read(ctx context.Context, reference string) (manifest, asked, error) {
	path := "manifests/" + reference
	answer, err := p.call(ctx, path, maxManifest)
	if err == nil && answer.status == http.StatusUnauthorized && p.token == "" {
		if err = p.authorize(ctx, answer); err == nil {
			answer, err = p.call(ctx, path, maxManifest)
		}
	}
	if err == nil {
		err = p.judge(answer)
	}
	if err != nil {
		return manifest{}, answer, err
	}
	found, err := parseManifest(answer.body)
	if err != nil {
		return manifest{}, answer, answer.strange(err)
	}
	return found, answer, nil
}

// authorize gets the token that an answer wants.
func (p *pull) authorize(ctx context.Context, answer asked) error {
	wanted, ok := bearer(challenges(answer.header.Values("WWW-Authenticate")))
	if !ok {
		return answer.strange(errors.New("what answers is no registry with tokens"))
	}
	var err error
	p.token, err = answer.by.tokenFor(ctx, wanted, p.image.repository)
	p.first.note(evidenceRealm, answer.by.evidence[evidenceRealm])
	return err
}

// judge says what is wrong with the answer to a request for a manifest.
func (p *pull) judge(answer asked) error {
	switch answer.status {
	case http.StatusOK:
		return answer.complete()
	case http.StatusNotFound:
		return answer.fail(reach.Missing, fmt.Errorf("the registry does not have %s", p.image))
	case http.StatusTooManyRequests:
		return answer.tooMany()
	}
	if isBlocked(answer.reply) {
		return answer.by.unexpected(answer.reply)
	}
	_, known, _ := credentialsFor(p.first.prober.task.PullSecret, p.first.target.address(), p.image.repository)
	if !known {
		return answer.fail(reach.Unauthorized, errAnonymous)
	}
	return answer.fail(reach.Credentials, fmt.Errorf("the pull secret's entry does not allow to pull %s", p.image.repository))
}

// layer reads the first bytes of the smallest layer, at the host that the registry sends us on to.
func (p *pull) layer(ctx context.Context, from manifest) error {
	smallest, err := from.smallest()
	if err != nil {
		return p.first.fail(&p.first.layers.HTTP, reach.Malformed, err)
	}
	answer, err := p.call(ctx, "blobs/"+smallest.Digest, firstBytes)
	switch {
	case err != nil:
		return err
	case answer.status != http.StatusOK && answer.status != http.StatusPartialContent:
		return answer.by.unexpectedPage(answer.reply)
	case !smallest.begins(answer.body):
		return answer.strange(errors.New("what comes is no layer of an image"))
	}
	p.first.note(evidenceCDN, answer.by.target.host)
	return nil
}

// begins tells whether content can be the beginning of what is described.
func (d descriptor) begins(content []byte) bool {
	if strings.HasSuffix(d.MediaType, "gzip") {
		return len(content) > 2 && content[0] == 0x1f && content[1] == 0x8b
	}
	return len(content) > 0 || d.Size == 0
}

// call gets something of the image's repository, in a way of its own each time.
func (p *pull) call(ctx context.Context, path string, limit int64) (asked, error) {
	resource := p.first.resource("")
	resource.Path, resource.RawQuery = "/v2/"+p.image.repository+"/"+path, ""
	at := p.first
	if p.begun {
		var err error
		if at, err = p.first.next(resource); err != nil {
			return asked{}, err
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
	return at.ask(ctx, call{url: resource, header: header, limit: limit}, http.StatusOK, http.StatusPartialContent,
		http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests)
}
