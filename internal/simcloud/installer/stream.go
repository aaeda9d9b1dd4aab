package installer

import (
	"encoding/json"
	"strings"

	"exoshift/internal/simcloud/mirror"
)

// printStream describes the release's boot images. There is one: the OpenStack image of the mirror.
func (run *invocation) printStream() int {
	build, _, checksum := mirror.Image(run.release)
	minor := run.release
	if parts := strings.SplitN(run.release, ".", 3); len(parts) == 3 {
		minor = parts[0] + "." + parts[1]
	}
	image := object{"disk": object{
		"location": mirror.ImageURL(run.release), "sha256": checksum, "uncompressed-sha256": mirror.UncompressedSHA256(run.release),
	}}
	openstack := object{"release": build, "formats": object{"qcow2.gz": image}}
	encoder := json.NewEncoder(run.stdout)
	encoder.SetIndent("", "  ")
	return exitCode(encoder.Encode(object{
		"stream":        "rhcos-" + minor,
		"metadata":      object{"last-modified": "2026-01-01T00:00:00Z", "generator": "plume cosa2stream"},
		"architectures": object{"x86_64": object{"artifacts": object{"openstack": openstack}, "images": object{}}},
	}))
}
