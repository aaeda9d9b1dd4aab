package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
)

const (
	rolePrefix  = "node-role.kubernetes.io/"
	terminating = "Terminating"
	unknownAge  = "<unknown>"
)

func formatNodeStatus(o kube.Object) string {
	status := "NotReady"
	switch o.Condition("Ready").GetString("status") {
	case "True":
		status = "Ready"
	case "":
		status = "Unknown" // no condition
	}
	if o.GetBool("spec.unschedulable") {
		status += ",SchedulingDisabled"
	}
	return status
}

func formatRoles(o kube.Object) string {
	var names []string
	for label := range o.Map("metadata.labels") {
		if role, ok := strings.CutPrefix(label, rolePrefix); ok {
			names = append(names, role)
		}
	}
	if len(names) == 0 {
		return none
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

func countReadyContainers(o kube.Object) string {
	all, ready := len(o.List("spec.containers")), 0
	if o.Condition("Ready").GetString("status") == "True" {
		ready = all
	}
	return fmt.Sprintf("%d/%d", ready, all)
}

func countData(o kube.Object) string {
	return strconv.Itoa(len(o.Map("data")) + len(o.Map("binaryData")))
}

func countReadyReplicas(o kube.Object) string {
	return fmt.Sprintf("%d/%d", o.GetInt("status.readyReplicas"), o.GetInt("spec.replicas"))
}

// formatPodStatus returns the phase, or the reason of a waiting container.
func formatPodStatus(o kube.Object) string {
	if o.Get("metadata.deletionTimestamp") != nil {
		return terminating
	}
	for _, container := range o.List("status.containerStatuses") {
		if reason := container.GetString("state.waiting.reason"); reason != "" {
			return reason
		}
	}
	return o.GetString("status.phase")
}

func requestCondition(o kube.Object) string {
	var lines []string
	for _, c := range o.List("status.conditions") {
		lines = append(lines, c.GetString("type"))
	}
	if o.GetString("status.certificate") != "" {
		lines = append(lines, "Issued")
	}
	if len(lines) == 0 {
		return "Pending"
	}
	return strings.Join(lines, ",")
}

func formatOperatorVersion(o kube.Object) string {
	for _, version := range o.List("status.versions") {
		if version.GetString("name") == "operator" {
			return version.GetString("version")
		}
	}
	return ""
}

func releaseVersion(o kube.Object) string {
	for _, release := range o.List("status.history") {
		if release.GetString("state") == "Completed" {
			return release.GetString("version")
		}
	}
	return ""
}

// formatAge has kubectl's format.
func formatAge(timestamp string, now time.Time) string {
	then, err := time.Parse(time.RFC3339, timestamp)
	if err != nil {
		return unknownAge
	}
	ago := max(0, now.Sub(then))
	seconds, minutes, hours := int(ago.Seconds()), int(ago.Minutes()), int(ago.Hours())
	switch {
	case seconds < 120:
		return fmt.Sprintf("%ds", seconds)
	case minutes < 10 && seconds%60 != 0:
		return fmt.Sprintf("%dm%ds", minutes, seconds%60)
	case hours < 3:
		return fmt.Sprintf("%dm", minutes)
	case hours < 8 && minutes%60 != 0:
		return fmt.Sprintf("%dh%dm", hours, minutes%60)
	case hours < 48:
		return fmt.Sprintf("%dh", hours)
	}
	return fmt.Sprintf("%dd", hours/24)
}
