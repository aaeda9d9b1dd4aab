package release

import (
	"bufio"
	"bytes"
	"context"
	"regexp"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/release/download"
)

var (
	channelName  = regexp.MustCompile(`^(?:stable|fast|candidate|latest)-(\d+\.\d+)$`)
	exactVersion = regexp.MustCompile(`^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$`)
)

func parseChannel(channel string) (minor string, isChannel bool) {
	match := channelName.FindStringSubmatch(channel)
	if match == nil {
		return "", false
	}
	return match[1], true
}

func matchVersion(answer, version string) bool {
	if minor, isChannel := parseChannel(answer); isChannel {
		return strings.HasPrefix(version, minor+".")
	}
	return version == answer
}

const versionField = "openshift.version"

// mirror is where the chosen distribution is published.
type mirror struct {
	choice    Choice
	key       []byte // armored; nil: the pinned one
	downloads *download.Client
	log       func(string)
}

// resolve requests a channel's version only once: the version recorded by an earlier run is kept.
func (m mirror) resolve(ctx context.Context, noted string) (string, error) {
	if noted != "" {
		return noted, m.choice.checkRecorded(noted)
	}
	answer := m.choice.Version
	_, isChannel := parseChannel(answer)
	switch {
	case isChannel && m.choice.Distribution == okd:
		return "", fault.Newf(fault.Invalid, "choose "+m.choice.name(), "OKD has no channels").
			WithHint("use a tag of its releases, e.g. 4.20.0-okd-scos.11").WithField(versionField)
	case isChannel:
		return m.resolveChannel(ctx, answer)
	case !exactVersion.MatchString(answer):
		return "", fault.Newf(fault.Invalid, "choose "+m.choice.name(), "%q is neither a version nor a channel", answer).
			WithHint("use a version such as 4.20.5, or a channel such as stable-4.20").WithField(versionField)
	}
	return answer, nil
}

func (c Choice) checkRecorded(noted string) error {
	if exactVersion.MatchString(noted) && matchVersion(c.Version, noted) {
		return nil
	}
	return fault.Newf(fault.Conflict, "choose "+programName,
		"the answers have %s, but this installation began with %s", c.Version, noted).
		WithHint("restore version %s, or install another cluster with a new --dir", noted)
}

// resolveChannel reads the current version of a channel from the release.txt in its directory.
func (m mirror) resolveChannel(ctx context.Context, channel string) (string, error) {
	url := clientsDirectory + channel + "/release.txt"
	content, err := m.downloads.Read(ctx, url)
	if err != nil {
		return "", err
	}
	version, found := parseReleaseName(content)
	if !found || !exactVersion.MatchString(version) || !matchVersion(channel, version) {
		return "", fault.Newf(fault.Invalid, "read "+url, "it contains %q, which is not a version of %s", version, channel).
			WithHint("use an exact version").WithField(versionField)
	}
	m.log(channel + " is version " + version)
	return version, nil
}

// parseReleaseName parses the line "Name:           4.20.5".
func parseReleaseName(content []byte) (string, bool) {
	lines := bufio.NewScanner(bytes.NewReader(content))
	for lines.Scan() {
		if name, found := strings.CutPrefix(strings.TrimSpace(lines.Text()), "Name:"); found {
			return strings.TrimSpace(name), true
		}
	}
	return "", false
}
