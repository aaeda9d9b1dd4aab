package release

import (
	"errors"
	"regexp"
	"strings"

	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/registry"
)

const (
	okdDistribution = "okd"

	// clientsDirectory is where each version and channel has a release.txt.
	clientsDirectory = "https://mirror.openshift.com/pub/openshift-v4/x86_64/clients/ocp/"
	okdRepository    = "okd/scos-release"

	// maxReleaseText is more than ten times what such a file contains.
	maxReleaseText = 1 << 20
)

var (
	channelName  = regexp.MustCompile(`^(?:stable|fast|candidate|latest)-(\d+\.\d+)$`)
	exactVersion = regexp.MustCompile(`^(\d+\.\d+)\.\d+(?:-[0-9A-Za-z.-]+)?$`)
	pullFrom     = regexp.MustCompile(`^[0-9a-z.-]+(?::\d+)?/([0-9a-z._/-]+)@(sha256:[0-9a-f]{64})$`)
)

// The file names the image of the task's version or channel; "" if there is none.
func buildReleaseURL(task reach.Task) string {
	if task.Distribution == okdDistribution || !channelName.MatchString(task.Version) && !exactVersion.MatchString(task.Version) {
		return ""
	}
	return clientsDirectory + task.Version + "/release.txt"
}

func parseReleaseText(content []byte) (version string, found registry.Image, err error) {
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "Name:"); ok && version == "" {
			version = strings.TrimSpace(name)
		}
		if spec, ok := strings.CutPrefix(line, "Pull From:"); ok {
			match := pullFrom.FindStringSubmatch(strings.TrimSpace(spec))
			if match == nil || !exactVersion.MatchString(version) {
				break
			}
			return version, registry.Image{Repository: match[1], Reference: match[2]}, nil
		}
	}
	return "", registry.Image{}, errors.New("not a release.txt: no version and image")
}
