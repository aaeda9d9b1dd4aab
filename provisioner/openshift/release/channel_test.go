package release_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/release"
)

const releaseText = "Client tools for OpenShift\n--------------------------\n\nName:           4.20.5\nDigest:         sha256:00\n"

func TestFetch_ResolvesChannelOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.publish(t, versionScript)
		text := ocpDirectory + "stable-4.20/release.txt"
		m.files[text] = &file{content: []byte(releaseText)}
		choice := release.Choice{Distribution: "ocp", Version: "stable-4.20"}
		got, err := m.choose(choice).Fetch(t.Context(), "", func(string) {})
		if err != nil || got.Version != "4.20.5" || got.Image != payload {
			t.Fatalf("%+v, %v", got, err)
		}
		m.files[text].content = []byte(strings.Replace(releaseText, "4.20.5", "4.20.9", 1))
		if got, err := m.choose(choice).Fetch(t.Context(), "4.20.5", func(string) {}); err != nil || got.Version != "4.20.5" {
			t.Errorf("noted: %+v, %v", got, err)
		}
		if got := m.requests(text); got != 1 {
			t.Errorf("asked for the channel %d times", got)
		}
	})
}

func TestFetch_RefusesUnusableVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.publish(t, versionScript)
		for channel, version := range map[string]string{"fast-4.20": "4.21.0", "latest-4.20": "../4.20.5", "candidate-4.20": ""} {
			m.files[ocpDirectory+channel+"/release.txt"] = &file{content: []byte("Name: " + version + "\n")}
		}
		for name, test := range map[string]struct {
			distribution, version, noted string
			kind                         fault.Kind
			want                         string
		}{
			"another version was noted":  {"ocp", "4.20.6", "4.20.5", fault.Conflict, "have 4.20.6, but this installation began with 4.20.5"},
			"another minor was noted":    {"ocp", "stable-4.21", "4.20.5", fault.Conflict, "have stable-4.21, but"},
			"a longer minor was noted":   {"ocp", "stable-4.2", "4.20.5", fault.Conflict, "have stable-4.2, but"},
			"no version was noted":       {"ocp", "stable-4.20", "stable-4.20", fault.Conflict, "began with stable-4.20"},
			"a path was noted":           {"ocp", "stable-4.20", "4.20.5/../x", fault.Conflict, "began with 4.20.5/../x"},
			"no such channel":            {"ocp", "stable-4.20", "", fault.NotFound, "stable-4.20/release.txt"},
			"a channel of another minor": {"ocp", "fast-4.20", "", fault.Invalid, `"4.21.0"`},
			"a channel of a path":        {"ocp", "latest-4.20", "", fault.Invalid, "not a version of latest-4.20"},
			"a channel without a name":   {"ocp", "candidate-4.20", "", fault.Invalid, "not a version of candidate-4.20"},
			"neither":                    {"ocp", "newest", "", fault.Invalid, "neither a version nor a channel"},
			"a path":                     {"ocp", "../4.20.5", "", fault.Invalid, "neither a version nor a channel"},
			"OKD asked as OCP":           {"ocp", "4.20.0-okd-scos.11", "", fault.Invalid, "an OKD release"},
			"OCP asked as OKD":           {"okd", "4.20.5", "", fault.Invalid, "not a release of OKD"},
			"a channel of OKD":           {"okd", "stable-4.20", "", fault.Invalid, "no channels"},
			"OKD on Fedora CoreOS":       {"okd", "4.18.0-okd-scos.1", "", fault.Invalid, "Fedora CoreOS"},
		} {
			i := m.choose(release.Choice{Distribution: test.distribution, Version: test.version})
			_, err := i.Fetch(t.Context(), test.noted, func(string) {})
			if !fault.Is(err, test.kind) || !strings.Contains(err.Error(), test.want) || fault.HintOf(err) == "" {
				t.Errorf("%s: kind %v, %v", name, fault.KindOf(err), err)
			}
		}
	})
}
