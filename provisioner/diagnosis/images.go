package diagnosis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/state"
)

func buildImageRules() []Rule {
	return []Rule{{
		ID:          "image-pull-failed",
		Cause:       "The bootstrap machine cannot pull the release's images.",
		Fix:         "See the registry's response, and fix the pull secret, the proxy or the firewall:\n{subject} sudo podman pull --authfile /root/.docker/config.json {release}",
		Confidence:  High,
		Disposition: Wait,
		Waits:       "the machine tries again every few seconds, so that a registry, a proxy or a way out that is mended is used at once",
		Blocks:      Bootstrap,
		HoldFor:     3 * time.Minute,
		Explains:    []string{"bootstrap-silent"},
		WithoutAPI:  true,
		detect:      detectPullFailure,
	}, {
		ID:    "wrong-boot-image",
		Cause: "The machines booted from the image of another release, which is not compatible with this one.",
		Fix: "Delete the template, and with the cluster the machines that booted from it; the next installation registers the right one.\n" +
			"exo compute instance-template delete --zone {zone} {template} && exoshift destroy --dir {folder}",
		Confidence:  High,
		Disposition: Stop,
		Blocks:      Bootstrap,
		HoldFor:     time.Minute,
		WithoutAPI:  true,
		detect:      detectWrongBootImage,
	}}
}

func isPullFailure(text string) bool {
	return containsAny(strings.ToLower(text), "unauthorized", "authentication required", "denied", "manifest unknown", "initializing source",
		"pull failed", "unable to pull", "error pulling", "pinging container registry")
}

// detectPullFailure uses the bootstrap machine's own records only: from outside, a machine that cannot pull looks like
// one that is slow.
func detectPullFailure(m *inputIndex) detection {
	bootstrap, exists := m.machines[string(state.RoleBootstrap)]
	if !exists || m.hasReached(state.PhaseMachineConfig) || m.hasReached(state.PhaseTemporaryAPI) {
		return detection{}
	}
	services := []string{"release-image", "node-image-pull"}
	if len(detectWrongBootImage(m).evidence) > 0 {
		services = services[:1] // a node image that does not fit is not pulled either
	}
	return detection{evidence: listPullFailures(m, services), subject: []string{m.formatSSHCommand(bootstrap)}}
}

// listPullFailures returns what is known of services of the bootstrap machine that do nothing but pull images.
func listPullFailures(m *inputIndex, services []string) []string {
	if m.BootstrapHost == nil {
		return nil
	}
	isPullService := func(service string) bool { return slices.Contains(services, strings.TrimSuffix(service, ".service")) }
	var evidence []string
	for _, service := range m.BootstrapHost.Services {
		if isPullService(service.Service) && !service.Done && service.Failure != "" {
			evidence = append(evidence, fmt.Sprintf("service %s, start %d: %s", service.Service, service.Starts, service.Failure))
		}
	}
	const newest = 3
	var lines []string
	for _, line := range m.BootstrapHost.Lines {
		if isPullService(line.Unit) && isPullFailure(line.Text) {
			lines = append(lines, line.Unit+": "+line.Text)
		}
	}
	return append(evidence, lines[max(0, len(lines)-newest):]...)
}

func detectWrongBootImage(m *inputIndex) detection {
	if m.ReleaseBuild == "" || m.TemplateBuild == "" || m.ReleaseBuild == m.TemplateBuild {
		return detection{}
	}
	return detection{evidence: []string{
		fmt.Sprintf("the release requires build %s, the template %s has build %s", m.ReleaseBuild, m.Facts.Template, m.TemplateBuild),
	}}
}
