package registry

import (
	"strings"

	"exoshift/internal/simcloud/mirror"
	"exoshift/internal/simcloud/payload"
)

// QuayLayers returns the hosts that hold the layers of quay.io.
func QuayLayers() []string {
	return []string{"cdn01.quay.io", "cdn02.quay.io", "cdn03.quay.io", "cdn04.quay.io", "cdn05.quay.io", "cdn06.quay.io"}
}

// Quay is quay.io, which has the releases. That OpenShift's own want an account is what its documentation says; OKD's
// are for everybody.
func Quay(warehouse *Warehouse) House {
	return House{
		Host: Host, Realm: "https://" + Host + "/v2/auth", Service: Host, Layers: QuayLayers(),
		Members: func(repository string) bool { return repository != "" && !strings.HasPrefix(repository, "okd/") },
		Manifest: func(repository, reference string) (payload.Image, bool) {
			return warehouse.release(repository, reference)
		},
	}
}

// release returns the payload of a release, or its part for one architecture.
func (w *Warehouse) release(repository, reference string) (payload.Image, bool) {
	if image, known := w.recall(repository, reference); known {
		return image, true
	}
	release, known := mirror.Tagged(repository, reference)
	if strings.HasPrefix(reference, "sha256:") {
		release, known = mirror.Find(reference)
	}
	of := map[bool]string{true: mirror.OKDRepository, false: mirror.Repository}[release.OKD()]
	if !known || of != repository {
		return payload.Image{}, false
	}
	return release.Payload(), true
}

// One is the content of a registry that has one image only.
func One(repository, tag string) func(string, string) (payload.Image, bool) {
	return func(asked, reference string) (payload.Image, bool) {
		image := payload.NewBuilder().Image(repository, "amd64")
		return image, asked == repository && (reference == tag || reference == image.Digest())
	}
}
