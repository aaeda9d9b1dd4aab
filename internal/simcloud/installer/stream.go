package installer

import (
	"encoding/json"

	"exoshift/internal/simcloud/mirror"
)

// printStream describes the release's boot images. There is one: the OpenStack image of the mirror.
func (run *invocation) printStream() int {
	version := run.release.Version
	build, _, checksum := mirror.BuildImage(version)
	image := object{"disk": object{
		"location": mirror.ImageURL(version), "sha256": checksum, "uncompressed-sha256": mirror.UncompressedSHA256(version),
	}}
	openstack := object{"release": build, "formats": object{"qcow2.gz": image}}
	encoder := json.NewEncoder(run.stdout)
	encoder.SetIndent("", "  ")
	return exitCode(encoder.Encode(object{
		"stream":        mirror.StreamName(version),
		"metadata":      object{"last-modified": "2026-01-01T00:00:00Z", "generator": "plume cosa2stream"},
		"architectures": object{"x86_64": object{"artifacts": object{"openstack": openstack}, "images": object{}}},
	}))
}
