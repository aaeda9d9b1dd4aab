package release

import (
	"fmt"
	"runtime"
)

// payload is the architecture of the machines, as the mirror, the stream metadata and Go call it. The directory on the
// mirror is chosen by it, the file in there by the host that runs openshift-install.
const (
	payloadDirectory = "x86_64"
	payloadGo        = "amd64"
)

// resolveHostSuffix is how archives for a host are called. For Linux on arm64, OKD's is inferred from OCP's.
func resolveHostSuffix(system, architecture string) (string, error) {
	switch system + "/" + architecture {
	case "linux/amd64":
		return "linux", nil
	case "linux/arm64":
		return "linux-arm64", nil
	case "darwin/amd64":
		return "mac", nil
	case "darwin/arm64":
		return "mac-arm64", nil
	}
	return "", fmt.Errorf("%s is not published for %s/%s", programName, system, architecture)
}

// formatHost names the machine in the cache.
func formatHost() string { return runtime.GOOS + "-" + runtime.GOARCH }
