package diagnosis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/state"
)

// imageRules are about what machines boot from and run.
func imageRules() []Rule {
	return []Rule{{
		ID:         "image-pull-failed",
		Cause:      "The bootstrap machine cannot pull the release's images.",
		Fix:        "See what the registry says, and mend the pull secret, the proxy or the way out:\n{subject} sudo podman pull --authfile /root/.docker/config.json {release}",
		Confidence: High,
		Patience:   3 * time.Minute,
		Explains:   []string{"bootstrap-silent"},
		Blind:      true,
		signature:  imagePullFailed,
	}, {
		ID:    "wrong-boot-image",
		Cause: "The machines booted from the image of another release, which this one's software does not fit.",
		Fix: "Delete the template, and with the cluster the machines that booted from it; the next installation registers the right one.\n" +
			"exo compute instance-template delete --zone {zone} {template} && exoshift destroy --dir {folder}",
		Confidence: High,
		Patience:   time.Minute,
		Explains:   []string{"image-pull-failed"},
		Blind:      true,
		signature:  wrongBootImage,
	}}
}

// pulls are the services of the bootstrap machine that do nothing but pull images.
func pulls(service string) bool {
	return slices.Contains([]string{"release-image", "node-image-pull"}, strings.TrimSuffix(service, ".service"))
}

// failingPull is what the tools say when an image cannot be pulled.
func failingPull(text string) bool {
	return about(strings.ToLower(text), "unauthorized", "authentication required", "denied", "manifest unknown", "initializing source",
		"pull failed", "unable to pull", "error pulling", "pinging container registry")
}

// imagePullFailed believes the bootstrap machine's own records: from outside, nothing tells a machine that cannot pull from
// one that is slow.
func imagePullFailed(m *moment) clue {
	bootstrap, exists := m.machines[string(state.RoleBootstrap)]
	if !exists || m.has(state.PhaseMachineConfig) || m.has(state.PhaseTemporaryAPI) {
		return clue{}
	}
	return clue{evidence: m.failedPulls(), subject: []string{m.enter(bootstrap)}}
}

// failedPulls returns what the bootstrap machine says about images that it cannot pull, the newest lines.
func (m *moment) failedPulls() []string {
	if m.Inside == nil {
		return nil
	}
	var evidence []string
	for _, service := range m.Inside.Services {
		if pulls(service.Service) && !service.Done && service.Failure != "" {
			evidence = append(evidence, fmt.Sprintf("service %s, start %d: %s", service.Service, service.Starts, service.Failure))
		}
	}
	const newest = 3
	var lines []string
	for _, line := range m.Inside.Lines {
		if pulls(line.Unit) && failingPull(line.Text) {
			lines = append(lines, line.Unit+": "+line.Text)
		}
	}
	return append(evidence, lines[max(0, len(lines)-newest):]...)
}

func wrongBootImage(m *moment) clue {
	if m.Build == "" || m.Booted == "" || m.Build == m.Booted {
		return clue{}
	}
	return clue{evidence: []string{
		fmt.Sprintf("the release wants build %s, the template %s is of build %s", m.Build, m.Facts.Template, m.Booted),
	}}
}
