package bootstrap

import (
	"fmt"
	"regexp"
	"strings"

	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/mirror"
)

const osReleaseFile = "/etc/os-release"

var ostreeVersion = regexp.MustCompile(`(?m)^OSTREE_VERSION='(.+)'$`)

// checkBootImage returns nil if the machine was booted from an image of the release's stream. Another build of the stream is
// accepted, and so is an image without a build. The wording is ours.
func checkBootImage(m machine.Machine, version string) error {
	content, _ := m.ReadFile(osReleaseFile)
	found := ostreeVersion.FindSubmatch(content)
	if found == nil {
		return nil
	}
	booted, wanted := string(found[1]), mirror.ImageName(version)
	switch {
	case parseOSStream(booted) == parseOSStream(wanted):
		return nil
	case strings.HasPrefix(version, "4.18."):
		return fmt.Errorf("kubelet.service: Failed to locate executable /usr/bin/kubelet: the boot image %s is bare, OpenShift %s needs one like %s", booted, version, wanted)
	}
	return fmt.Errorf("node-image-pull.service: Main process exited, code=exited, status=1/FAILURE: the boot image %s is of another stream than %s of OpenShift %s",
		booted, wanted, version)
}

// parseOSStream returns the part common to all builds of a stream: "9.6" of "9.6.20251212-1".
func parseOSStream(build string) string {
	parts := strings.SplitN(build, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}
