package release

import (
	"fmt"
	"runtime"
)

// payload is the architecture of the machines, in the words of the mirror, the stream metadata and Go. It determines the
// directory on the mirror; the host that runs openshift-install determines the file in there.
const (
	payloadDirectory = "x86_64"
	payloadGo        = "amd64"
)

// resolveHostSuffix returns the end of the name of a host's archives. For Linux on arm64, OKD's is inferred from OCP's.
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

func formatHost() string { return runtime.GOOS + "-" + runtime.GOARCH }
