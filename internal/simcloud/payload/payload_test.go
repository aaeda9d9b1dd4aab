package payload

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"testing"
)

// listed has the fields of a manifest.
type listed struct {
	SchemaVersion int
	MediaType     string
	Config        entry
	Layers        []entry
	Manifests     []entry
}

type entry struct {
	MediaType, Digest string
	Size              int
	Platform          struct{ Architecture, OS string }
}

func read(t *testing.T, manifest []byte) listed {
	t.Helper()
	var l listed
	if err := json.Unmarshal(manifest, &l); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestManifest_NamesContents(t *testing.T) {
	image := NewBuilder().BuildImage("release 4.20.5", "arm64")
	m := read(t, image.Manifest)
	if m.SchemaVersion != 2 || m.MediaType != image.Type || len(m.Layers) != layers || len(image.Blobs) != layers+1 {
		t.Fatalf("%+v", m)
	}
	for i, e := range append([]entry{m.Config}, m.Layers...) {
		if e.Digest != ComputeDigest(image.Blobs[i]) || e.Size != len(image.Blobs[i]) {
			t.Errorf("part %d is %s with %d bytes, not %s with %d", i, ComputeDigest(image.Blobs[i]), len(image.Blobs[i]), e.Digest, e.Size)
		}
	}
	var config struct{ Architecture string }
	if err := json.Unmarshal(image.Blobs[0], &config); err != nil || config.Architecture != "arm64" {
		t.Errorf("configuration: %s, %v", image.Blobs[0], err)
	}
}

func TestLayers_AreGzipped(t *testing.T) {
	for _, layer := range NewBuilder().Layers() {
		unpacked, err := gzip.NewReader(bytes.NewReader(layer))
		if err != nil {
			t.Fatal(err)
		}
		if content, err := io.ReadAll(unpacked); err != nil || len(content) != layerSize {
			t.Errorf("%d bytes, %v", len(content), err)
		}
	}
}

func TestList_ImageByArchitecture(t *testing.T) {
	list := NewBuilder().List("release 4.20.5", "amd64", "s390x")
	m := read(t, list.Manifest)
	if m.MediaType != ListType || len(m.Manifests) != 2 {
		t.Fatalf("%+v", m)
	}
	for i, e := range m.Manifests {
		if e.Digest != list.Parts[i].Digest() || e.Platform.Architecture != []string{"amd64", "s390x"}[i] {
			t.Errorf("%+v is not %s", e, list.Parts[i].Digest())
		}
	}
}
