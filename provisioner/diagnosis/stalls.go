package diagnosis

import (
	"fmt"
	"strings"
	"time"

	"exoshift/state"
)

// slow is the rule about progress that is late.
const slow = "slow"

// The limits are from operators of such clusters, with room for machines that are slower than usual.
func buildStallRules() []Rule {
	return []Rule{{
		ID:          slow,
		Cause:       "The installation progresses more slowly than usual: the disks or the network are slow.",
		Fix:         "Wait. If the run times out, run the same command again: it continues where it stopped.",
		Confidence:  Medium,
		Disposition: Wait,
		Waits:       "it passes",
		HoldFor:     time.Minute,
		General:     true,
		WithoutAPI:  true,
		detect:      detectSlowProgress,
	}, {
		ID:          "bootstrap-silent",
		Cause:       "The bootstrap machine has not started the API.",
		Fix:         "Check its console in the Exoscale portal. If it is stuck, delete it and run the same command again: it recreates the machine.\nexo compute instance delete --zone {zone} bootstrap",
		Confidence:  Low,
		Disposition: Wait,
		Waits:       "the machine may only be slow, and nothing else shows what it does",
		Blocks:      Bootstrap,
		Explains:    []string{slow},
		General:     true,
		Reasons:     []string{"image-pull-failed", "wrong-boot-image", "certificate-expired", "foreign-authority", "machine-stopped"},
		WithoutAPI:  true,
		detect:      detectSilentBootstrap,
	}, {
		ID:          "no-master",
		Cause:       "The API is up, but no master has requested to join.",
		Fix:         "Check the console of {subject} in the Exoscale portal: it shows whether Ignition fetches its configuration, and from where.",
		Confidence:  Low,
		Disposition: Wait,
		Waits:       "the machines may only be slow, and they go on once they reach their configuration",
		Blocks:      ControlPlane,
		Within:      joiningMasters,
		Explains:    []string{slow},
		General:     true,
		Reasons:     []string{"machine-config-blocked", "source-rewritten", "machine-stopped", "no-hostname"},
		detect:      detectMissingMasters,
	}, {
		ID:          "etcd-incomplete",
		Cause:       "The masters have joined, but etcd does not get a member on each of them.",
		Fix:         "See which etcd pod has a problem, and why:\noc -n openshift-etcd get pods -o wide; oc get etcd cluster -o jsonpath='{range .status.conditions[?(@.status==\"True\")]}{.type}: {.message}{\"\\n\"}{end}'",
		Confidence:  Low,
		Disposition: Wait,
		Waits:       "etcd's operator adds members by itself once their masters are well",
		Blocks:      ControlPlane,
		Explains:    []string{slow},
		General:     true,
		Reasons:     []string{"rules-missing", "machine-config-blocked", "source-rewritten", "machine-silent", "machine-stopped", "wrong-node-address", "no-cloud-controller", "no-hostname", "requests-left"},
		detect:      detectIncompleteEtcd,
	}, {
		ID:          "bootstrap-member-stays",
		Cause:       "The bootstrap is complete, but etcd keeps the member on the bootstrap machine, which therefore cannot be removed.",
		Fix:         "Do not delete the bootstrap machine. Check etcd's other members:\noc -n openshift-etcd get pods -l app=etcd -o wide",
		Confidence:  Medium,
		Disposition: Wait,
		Waits:       "etcd's operator removes the member by itself once the others are well, and until then the bootstrap machine has to stay",
		Blocks:      ControlPlane,
		Within:      leavingBootstrap,
		HoldFor:     10 * time.Minute,
		Explains:    []string{"etcd-incomplete", slow},
		General:     true,
		Reasons:     []string{"rules-missing", "machine-silent", "machine-stopped", "wrong-node-address", "no-cloud-controller", "machine-config-mismatch", "no-hostname", "requests-left"},
		detect:      detectBootstrapMember,
	}, {
		ID:          "operators-stalled",
		Cause:       "The release is not fully applied: the cluster version is waiting for the same operators for a long time.",
		Fix:         "See what the first of them is waiting for:\noc describe clusteroperator {subject}",
		Confidence:  Low,
		Disposition: Wait,
		Waits:       "operators try again by themselves, and you can give them what they lack while the run waits",
		Blocks:      Operators,
		General:     true,
		Reasons:     []string{"routes-unreachable", "routers-on-masters", "address-clash", "etcd-slow-disk"},
		detect:      detectStalledOperators,
	}}
}

// A phase that comes later than this after the start of the bootstrap machine is late. The last is the limit of
// openshift-install, which many an installation exceeds and completes nevertheless.
var phaseLimits = map[string]time.Duration{ //nolint:gochecknoglobals // a table that nothing changes
	state.PhaseMachineConfig: 12 * time.Minute,
	state.PhaseTemporaryAPI:  14 * time.Minute,
	state.PhaseMasters:       28 * time.Minute,
	state.PhaseComplete:      45 * time.Minute,
}

// What the bootstrap machine usually needs at most until these phases. They show how fast the machines of this installation are,
// before there is any other of them.
var usualTimes = map[string]time.Duration{ //nolint:gochecknoglobals // a table that nothing changes
	state.PhaseMachineConfig: 7 * time.Minute,
	state.PhaseTemporaryAPI:  10 * time.Minute,
}

// maxPace bounds by how much limits are extended.
const maxPace = 4

// adaptToPace extends a limit if the bootstrap machine took longer than usual: the others will, too.
func (m *inputIndex) adaptToPace(limit time.Duration) time.Duration {
	return m.adaptTo(limit, func(phase string) time.Time { return m.PhaseTimes[phase] })
}

// adaptToAge also extends a limit if the bootstrap machine takes longer than usual by now, whether it is slow or stuck.
func (m *inputIndex) adaptToAge(limit time.Duration) time.Duration {
	return m.adaptTo(limit, func(phase string) time.Time {
		if reached, ok := m.PhaseTimes[phase]; ok {
			return reached
		}
		return m.Now
	})
}

func (m *inputIndex) adaptTo(limit time.Duration, reached func(phase string) time.Time) time.Duration {
	began, known := m.PhaseTimes[state.PhaseMachine]
	pace := 1.0
	for phase, usual := range usualTimes {
		if at := reached(phase); known && !at.IsZero() {
			pace = max(pace, float64(at.Sub(began))/float64(usual))
		}
	}
	return time.Duration(min(pace, maxPace) * float64(limit))
}

// Limits of the age of the newest progress: up to which it begins to count as slow, and from which it counts as a stall.
const (
	recentProgress = 5 * time.Minute
	stallTimeout   = 10 * time.Minute
)

// detectSlowProgress holds from the first phase that is late, until one comes in time or the bootstrap is complete. What was found to
// be slow may also take its time until its next progress; if it is stuck, rules that explain this one say so.
func detectSlowProgress(m *inputIndex) detection {
	limit := m.adaptToPace(recentProgress)
	if m.isSlow {
		limit = m.adaptToAge(stallTimeout)
	}
	if m.Now.Sub(m.lastProgress) >= limit || m.hasReached(state.PhaseComplete) {
		return detection{}
	}
	began, known := m.PhaseTimes[state.PhaseMachine]
	late := ""
	for _, phase := range state.ListPhases() {
		limit, limited := phaseLimits[phase]
		if !limited || !known {
			continue
		}
		usually := fmt.Sprintf("%s is usually reached within %s", phase, formatDuration(limit))
		if reached, passed := m.PhaseTimes[phase]; passed {
			if late = ""; reached.Sub(began) >= limit {
				late = fmt.Sprintf("%s, and was after %s", usually, formatDuration(reached.Sub(began)))
			}
			continue
		}
		if m.hasReached(phase) {
			continue
		}
		if m.hasReachedFor(state.PhaseMachine, limit) {
			late = fmt.Sprintf("the bootstrap machine runs for %s, and %s", m.formatAge(state.PhaseMachine), usually)
		}
		break
	}
	if late == "" {
		return detection{}
	}
	return detection{evidence: []string{late, "last progress at " + m.lastProgress.UTC().Format("15:04 UTC")}}
}

// The limit is longer for a machine that answers on its SSH port.
func detectSilentBootstrap(m *inputIndex) detection {
	limit := m.adaptToPace(15 * time.Minute)
	if m.Snapshot.Probes.SSH.OK {
		limit = m.adaptToPace(25 * time.Minute)
	}
	if m.hasReached(state.PhaseTemporaryAPI) || !m.hasReachedFor(state.PhaseMachine, limit) || !m.isStalled(stallTimeout) {
		return detection{}
	}
	isClosed := len(detectWrongAPINames(m).evidence) > 0 || len(m.Detached) > 0 || len(detectBlockedLoadBalancer(m).evidence) > 0
	if isAnsweringTLS(m.Snapshot.Probes.Direct) || isClosed && (m.hasAnswered || !m.Accessible) {
		return detection{} // the API is there, it starts again and again for want of its name, or the only way to it is closed
	}
	found := detection{evidence: []string{fmt.Sprintf("the bootstrap machine runs for %s, and the API has never answered", m.formatAge(state.PhaseMachine))}}
	if m.hasAnswered {
		found.cause = "The API on the bootstrap machine has stopped."
		found.evidence[0] = fmt.Sprintf("the bootstrap machine runs for %s, and the API does not answer any more", m.formatAge(state.PhaseMachine))
	}
	for _, way := range []struct {
		name  string
		probe state.Probe
	}{{"SSH", m.Snapshot.Probes.SSH}, {"API", m.Snapshot.Probes.Direct}, {"API by name", m.Snapshot.Probes.API}} {
		if way.probe.Target != "" {
			found.evidence = append(found.evidence, formatProbe(way.name, way.probe))
		}
	}
	found.evidence = append(found.evidence, describeServices(m)...)
	return found
}

func describeServices(m *inputIndex) []string {
	if m.BootstrapHost == nil {
		return nil
	}
	var lines []string
	for _, service := range m.BootstrapHost.Services {
		if service.Failure != "" && !service.Done {
			lines = append(lines, fmt.Sprintf("service %s failed: %s", service.Service, service.Failure))
		} else if service.Stage != "" {
			lines = append(lines, fmt.Sprintf("service %s is in stage %s since %s", service.Service, service.Stage, service.Since.UTC().Format("15:04 UTC")))
		}
	}
	return lines
}

func detectMissingMasters(m *inputIndex) detection {
	limit := m.adaptToPace(10 * time.Minute)
	silent := m.masters.missing
	if m.masters.known > 0 || len(silent) == 0 || m.hasReached(state.PhaseMasters) || !m.hasReachedFor(state.PhaseTemporaryAPI, limit) || !m.isStalled(stallTimeout) {
		return detection{}
	}
	return detection{subject: collectNames(silent), evidence: []string{
		fmt.Sprintf("the API answers for %s", m.formatAge(state.PhaseTemporaryAPI)), "no contact: " + joinLimited(collectNames(silent)),
	}}
}

func detectIncompleteEtcd(m *inputIndex) detection {
	limit := m.adaptToPace(20 * time.Minute)
	masters := m.Spec.Sizing.ControlPlane.Count
	etcd := m.Snapshot.Etcd
	if m.hasReached(state.PhaseEtcdInCluster) || etcd.InCluster || !m.hasReachedFor(state.PhaseMasters, limit) || m.Now.Sub(m.lastEtcd) < m.adaptToPace(stallTimeout) {
		return detection{}
	}
	evidence := []string{fmt.Sprintf("the first master has joined %s ago, and etcd has %d of %d members", m.formatAge(state.PhaseMasters), len(etcd.Members), masters+1)}
	return detection{evidence: append(evidence, listEtcdProblems(m)...), sure: false}
}

func listEtcdProblems(m *inputIndex) []string {
	var lines []string
	for _, member := range m.Snapshot.Etcd.Members {
		if member.State != "voter" {
			lines = append(lines, fmt.Sprintf("member %s: %s", member.Name, member.State))
		}
	}
	lines = append(lines, m.Snapshot.Etcd.Degraded...)
	if held := m.Snapshot.Etcd.BlockedReason; held != "" {
		lines = append(lines, "the bootstrap member is kept: "+held)
	}
	return lines
}

func detectBootstrapMember(m *inputIndex) detection {
	if !m.hasReached(state.PhaseComplete) || m.hasReached(state.PhaseMemberRemoved) || m.Snapshot.Etcd.BootstrapRemoved {
		return detection{}
	}
	evidence := []string{"the bootstrap is complete since " + m.PhaseTimes[state.PhaseComplete].UTC().Format("15:04 UTC")}
	return detection{evidence: append(evidence, listEtcdProblems(m)...)}
}

// The limit is longer than for an operator that makes progress: monitoring and its like take twenty minutes.
func detectStalledOperators(m *inputIndex) detection {
	const limit = 25 * time.Minute
	version := m.Snapshot.Version
	if !m.hasReached(state.PhaseMemberRemoved) || version.Version == "" || version.IsInstalled() || !m.isStalled(limit) {
		return detection{}
	}
	waiting := version.WaitingOn
	if len(waiting) == 0 {
		waiting = version.Unstable
	}
	if len(waiting) == 0 {
		return detection{}
	}
	evidence := []string{fmt.Sprintf("nothing has changed for %s; the version waits for %s", formatDuration(m.Now.Sub(m.lastProgress)), joinLimited(waiting))}
	return detection{evidence: append(evidence, listOperatorProblems(m, waiting)...), subject: []string{strings.Join(waiting[:min(len(waiting), maxListed)], " ")}}
}

func listOperatorProblems(m *inputIndex, names []string) []string {
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = true
	}
	var lines []string
	for _, operator := range m.Snapshot.Operators {
		if wanted[operator.Name] {
			lines = append(lines, fmt.Sprintf("%s is %s: %s", operator.Name, operator.State(), operator.Message))
		}
	}
	return lines
}
