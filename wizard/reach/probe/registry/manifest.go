package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

// maxManifest is the largest manifest that a registry has to accept, and the largest that is read here.
const maxManifest = 4 << 20

// Media types of manifests.
const (
	dockerManifest = "application/vnd.docker.distribution.manifest.v2+json"
	dockerList     = "application/vnd.docker.distribution.manifest.list.v2+json"
	ociManifest    = "application/vnd.oci.image.manifest.v1+json"
	ociIndex       = "application/vnd.oci.image.index.v1+json"
)

var contentDigest = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

type descriptor struct {
	MediaType string `json:"mediaType"`
	Digest    string `json:"digest"`
	Size      int64  `json:"size"`
	Platform  struct {
		Architecture string `json:"architecture"`
		OS           string `json:"os"`
	} `json:"platform"`
}

type manifest struct {
	Layers    []descriptor `json:"layers"`
	Manifests []descriptor `json:"manifests"`
}

func parseManifest(content []byte) (manifest, error) {
	var m manifest
	if err := json.Unmarshal(content, &m); err != nil {
		return manifest{}, errors.New("not an image manifest: invalid JSON")
	}
	if len(m.Layers)+len(m.Manifests) == 0 {
		return manifest{}, errors.New("not an image manifest: no layers")
	}
	return m, nil
}

// The image for the platform of the cluster's machines; false if this is an image itself.
func (m manifest) findImage() (digest string, isList bool, err error) {
	if len(m.Manifests) == 0 {
		return "", false, nil
	}
	for _, d := range m.Manifests {
		if d.Platform.Architecture == "amd64" && d.Platform.OS == "linux" {
			return d.Digest, true, d.validate()
		}
	}
	return "", true, errors.New("the manifest list has no linux/amd64 image")
}

func (m manifest) findSmallestLayer() (descriptor, error) {
	if len(m.Layers) == 0 {
		return descriptor{}, errors.New("the manifest has no layers")
	}
	found := m.Layers[0]
	for _, d := range m.Layers {
		if d.Size < found.Size {
			found = d
		}
	}
	return found, found.validate()
}

func (d descriptor) validate() error {
	if !contentDigest.MatchString(d.Digest) {
		return fmt.Errorf("invalid digest in the manifest: %.80q", d.Digest)
	}
	return nil
}

// Image is a repository, and a digest or a tag in it.
type Image struct{ Repository, Reference string }

// String returns the image as a pull spec without its registry.
func (i Image) String() string {
	if contentDigest.MatchString(i.Reference) {
		return i.Repository + "@" + i.Reference
	}
	return i.Repository + ":" + i.Reference
}
