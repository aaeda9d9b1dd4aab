package openshift

import (
	"regexp"
	"strconv"
	"strings"

	"exoshift/state"

	"k8s.io/apimachinery/pkg/util/validation"
)

type clusterVersion struct {
	Status struct {
		Desired struct {
			Version string `json:"version"`
		} `json:"desired"`
		Conditions conditions `json:"conditions"`
	} `json:"status"`
}

func (v clusterVersion) toStatus() state.VersionStatus {
	reported := v.Status.Conditions
	status := state.VersionStatus{
		Version:     v.Status.Desired.Version,
		Available:   reported.is("Available"),
		Progressing: reported.is("Progressing"),
		Failing:     reported.is("Failing"),
		Message:     reported.find("Available").Message,
	}
	switch {
	case status.Failing:
		status.Message = reported.find("Failing").Message
	case status.Progressing:
		status.Message = reported.find("Progressing").Message
	}
	status.Percent = parsePercent(reported.find("Progressing").Message)
	if !status.IsInstalled() {
		status.WaitingOn = parseWaitingOn(status.Message)
	}
	return status
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
