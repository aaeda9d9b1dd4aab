package registry

import (
	"strings"

	"exoshift/internal/simcloud/mirror"
	"exoshift/internal/simcloud/payload"
)

// QuayLayers returns the hosts of quay.io's layers.
func QuayLayers() []string {
	return []string{"cdn01.quay.io", "cdn02.quay.io", "cdn03.quay.io", "cdn04.quay.io", "cdn05.quay.io", "cdn06.quay.io"}
}

// NewQuayConfig is quay.io, which has the releases. That OpenShift's own require an account is documented; OKD's are public.
func NewQuayConfig(warehouse *BlobStore) Config {
	return Config{
		Host: Host, Realm: "https://" + Host + "/v2/auth", Service: Host, Layers: QuayLayers(),
		RequireAccount: func(repository string) bool { return repository != "" && !strings.HasPrefix(repository, "okd/") },
		Manifest: func(repository, reference string) (payload.Image, bool) {
			return warehouse.release(repository, reference)
		},
	}
}

func (w *BlobStore) release(repository, reference string) (payload.Image, bool) {
	if image, known := w.findImage(repository, reference); known {
		return image, true
	}
	release, known := mirror.ParseTag(repository, reference)
	if strings.HasPrefix(reference, "sha256:") {
		release, known = mirror.Find(reference)
	}
	of := map[bool]string{true: mirror.OKDRepository, false: mirror.Repository}[release.IsOKD()]
	if !known || of != repository {
		return payload.Image{}, false
	}
	return release.BuildPayload(), true
}

// NewSingleImage is the content of a registry that has one image only.
func NewSingleImage(repository, tag string) func(string, string) (payload.Image, bool) {
	return func(asked, reference string) (payload.Image, bool) {
		image := payload.NewBuilder().BuildImage(repository, "amd64")
		return image, asked == repository && (reference == tag || reference == image.Digest())
	}
}
