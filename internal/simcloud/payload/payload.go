// Package payload contains the container images of the simulated internet. They are small, but have the real format, and their
// digests are those of their content.
package payload

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"
	"slices"
	"strconv"
	"sync"
)

// The media types of Docker's image manifest, version 2, schema 2, which OpenShift's images use.
const (
	ManifestType = "application/vnd.docker.distribution.manifest.v2+json"
	ListType     = "application/vnd.docker.distribution.manifest.list.v2+json"
	configType   = "application/vnd.docker.container.image.v1+json"
	layerType    = "application/vnd.docker.image.rootfs.diff.tar.gzip"
)

const (
	layers    = 12      // shared by all images; a registry distributes them over its hosts
	layerSize = 4 << 10 // bytes
)

// Image is an image, or a list of images for several architectures.
type Image struct {
	Type     string // of the manifest
	Manifest []byte
	Blobs    [][]byte // its configuration and its layers
	Parts    []Image  // the images of a list
}

// Digest returns the digest of the manifest.
func (i Image) Digest() string { return ComputeDigest(i.Manifest) }

// ComputeDigest returns the digest of content: "sha256:" and hex.
func ComputeDigest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

type descriptor struct {
	MediaType string    `json:"mediaType"`
	Size      int       `json:"size"`
	Digest    string    `json:"digest"`
	Platform  *platform `json:"platform,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// Builder builds images. All of them share the same layers, as most images share those of a base.
type Builder struct {
	base   [][]byte
	listed string // the layers as manifests list them
}

// NewBuilder returns a builder.
func NewBuilder() *Builder { return loadBuilder() }

// loadBuilder returns the builder, which is made once: nothing changes it, and each look at a release needs one.
var loadBuilder = sync.OnceValue(buildBase) //nolint:gochecknoglobals // see the comment

func buildBase() *Builder {
	b := &Builder{}
	var listed []descriptor
	for i := range layers {
		content := buildLayer(uint64(i))
		b.base = append(b.base, content)
		listed = append(listed, describe(layerType, content))
	}
	b.listed = encode(listed)
	return b
}

// Layers returns the layers that all images share.
func (b *Builder) Layers() [][]byte { return slices.Clone(b.base) }

// BuildImage returns the image of a name and an architecture, neither of which may need JSON escapes. The documents are
// concatenated instead of encoded, because a search for a digest builds thousands.
func (b *Builder) BuildImage(name, architecture string) Image {
	config := []byte(`{"architecture":"` + architecture + `","config":{"Labels":{"name":"` + name + `"}},"os":"linux"}`)
	content := `{"schemaVersion":2,"mediaType":"` + ManifestType + `","config":{"mediaType":"` + configType +
		`","size":` + strconv.Itoa(len(config)) + `,"digest":"` + ComputeDigest(config) + `"},"layers":` + b.listed + `}`
	return Image{Type: ManifestType, Manifest: []byte(content), Blobs: append([][]byte{config}, b.base...)}
}

// List returns an image for several architectures.
func (b *Builder) List(name string, architectures ...string) Image {
	list := Image{Type: ListType}
	var parts []descriptor
	for _, architecture := range architectures {
		part := b.BuildImage(name, architecture)
		described := describe(part.Type, part.Manifest)
		described.Platform = &platform{Architecture: architecture, OS: "linux"}
		parts, list.Parts = append(parts, described), append(list.Parts, part)
	}
	list.Manifest = []byte(`{"schemaVersion":2,"mediaType":"` + ListType + `","manifests":` + encode(parts) + `}`)
	return list
}

func describe(kind string, content []byte) descriptor {
	return descriptor{MediaType: kind, Size: len(content), Digest: ComputeDigest(content)}
}

// buildLayer returns deterministic random bytes, in gzip's format for incompressible data (RFC 1951, 3.2.4).
func buildLayer(number uint64) []byte {
	var content []byte
	for i := uint64(0); len(content) < layerSize; i++ {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, number), i))
		content = append(content, sum[:]...)
	}
	packed := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1} // no name, no time, unknown system; the last block, stored
	packed = binary.LittleEndian.AppendUint16(packed, uint16(len(content)))
	packed = binary.LittleEndian.AppendUint16(packed, ^uint16(len(content)))
	packed = append(packed, content...)
	packed = binary.LittleEndian.AppendUint32(packed, crc32.ChecksumIEEE(content))
	return binary.LittleEndian.AppendUint32(packed, uint32(len(content)))
}

func encode(list []descriptor) string {
	content, _ := json.Marshal(list)
	return string(content)
}
