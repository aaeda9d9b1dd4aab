package operators

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"exoshift/internal/stable"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"
	"exoshift/state/upgrade"

	"k8s.io/apimachinery/pkg/util/validation"
)

// ClusterVersion is a config.openshift.io/v1 ClusterVersion.
type ClusterVersion struct {
	Status struct {
		Desired struct {
			Version string `json:"version"`
		} `json:"desired"`
		Conditions kubeapi.Conditions `json:"conditions"`
		Available  []release          `json:"availableUpdates"`
		// Conditional are recommended to some clusters, by risks that each cluster evaluates.
		Conditional []struct {
			Release    release            `json:"release"`
			Conditions kubeapi.Conditions `json:"conditions"`
		} `json:"conditionalUpdates"`
	} `json:"status"`
}

type release struct {
	Version string `json:"version"`
}

// ToStatus returns what the version reports, with the operators that it waits for.
func (v ClusterVersion) ToStatus() state.VersionStatus {
	reported := v.Status.Conditions
	status := state.VersionStatus{
		Version:     v.Status.Desired.Version,
		Available:   reported.Is("Available"),
		Progressing: reported.Is("Progressing"),
		Failing:     reported.Is("Failing"),
		Message:     reported.Find("Available").Message,
	}
	switch {
	case status.Failing:
		status.Message = reported.Find("Failing").Message
	case status.Progressing:
		status.Message = reported.Find("Progressing").Message
	}
	status.Percent = parsePercent(reported.Find("Progressing").Message)
	if !status.IsInstalled() {
		status.WaitingOn = parseWaitingOn(status.Message)
	}
	status.Updates = v.listUpdates()
	return status
}

// listUpdates returns the newest first: empty if there are none, and nil if the cluster could not retrieve them.
func (v ClusterVersion) listUpdates() []upgrade.Update {
	if !v.Status.Conditions.Is("RetrievedUpdates") {
		return nil
	}
	all := []upgrade.Update{}
	add := func(version string, recommended bool) {
		version = kubeapi.Sanitize(version)
		if !slices.ContainsFunc(all, func(u upgrade.Update) bool { return u.Version == version }) {
			all = append(all, upgrade.Update{Version: version, Recommended: recommended})
		}
	}
	for _, one := range v.Status.Available {
		add(one.Version, true)
	}
	for _, one := range v.Status.Conditional {
		add(one.Release.Version, one.Conditions.Is("Recommended"))
	}
	stable.Sort(all, func(a, b upgrade.Update) int { return upgrade.Compare(b.Version, a.Version) })
	return all
}

var (
	// "Working towards 4.20.5: 713 of 903 done (79% complete), waiting on authentication, console"
	percentPattern = regexp.MustCompile(`\((\d{1,3})% complete\)`)
	// Besides, "waiting up to 40 minutes on etcd" and "Cluster operator etcd is not available"; the wording of both is not
	// verified for every version.
	waitingPattern = regexp.MustCompile(`(?:[Ww]aiting (?:up to [0-9a-z ]+? )?(?:on|for)|[Cc]luster operators?) ([a-z0-9-]+(?:, (?:and )?[a-z0-9-]+)*)`)
)

func parsePercent(message string) int {
	match := percentPattern.FindStringSubmatch(message)
	if match == nil {
		return 0
	}
	percent, _ := strconv.Atoi(match[1])
	return min(percent, 100)
}

func parseWaitingOn(message string) []string {
	match := waitingPattern.FindStringSubmatch(message)
	if match == nil {
		return nil
	}
	var names []string
	for name := range strings.SplitSeq(match[1], ", ") {
		if name = strings.TrimPrefix(name, "and "); len(validation.IsDNS1123Label(name)) == 0 {
			names = append(names, name)
		}
	}
	return names
}
