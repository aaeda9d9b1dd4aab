package diagnosis

import (
	"fmt"
	"strings"
	"time"

	"exoshift/state"
)

// stallRules say that something takes too long, with the way to find out why. The limits are those of people who run
// such clusters, with room for machines that are slower than usual.
func stallRules() []Rule {
	return []Rule{{
		ID:         "slow",
		Cause:      "Everything takes longer than usual, and still goes on: the disks or the network are slow.",
		Fix:        "Let it run. If it gives up, run the same command again: it goes on where it stopped.",
		Confidence: Medium,
		Patience:   time.Minute,
		General:    true,
		Blind:      true,
		signature:  slow,
	}, {
		ID:         "bootstrap-silent",
		Cause:      "The bootstrap machine has not brought up the API.",
		Fix:        "Look at its console in Exoscale's portal. If it is stuck, delete it and run the same command again: it makes the machine anew.\nexo compute instance delete --zone {zone} bootstrap",
		Confidence: Low,
		General:    true,
		Blind:      true,
		signature:  bootstrapSilent,
	}, {
		ID:         "no-master",
		Cause:      "The API is up, but no master has asked to join.",
		Fix:        "Look at the console of {subject} in Exoscale's portal: it tells whether Ignition fetches its configuration, and from where.",
		Confidence: Low,
		General:    true,
		signature:  noMaster,
	}, {
		ID:         "etcd-incomplete",
		Cause:      "The masters are there, but etcd does not grow to a member on each of them.",
		Fix:        "See which pod of etcd is not well, and why:\noc -n openshift-etcd get pods -o wide; oc get etcd cluster -o jsonpath='{range .status.conditions[?(@.status==\"True\")]}{.type}: {.message}{\"\\n\"}{end}'",
		Confidence: Low,
		General:    true,
		signature:  etcdIncomplete,
	}, {
		ID:         "bootstrap-member-stays",
		Cause:      "The bootstrap is complete, but etcd keeps the member on the bootstrap machine, so this machine cannot go.",
		Fix:        "Do not delete the bootstrap machine. See what is wrong with etcd's other members:\noc -n openshift-etcd get pods -l app=etcd -o wide",
		Confidence: Medium,
		Patience:   10 * time.Minute,
		Explains:   []string{"etcd-incomplete"},
		General:    true,
		signature:  memberStays,
	}, {
		ID:         "operators-stalled",
		Cause:      "The release is not applied completely: its version has waited for the same operators for long.",
		Fix:        "See what the first of them lacks:\noc describe clusteroperator {subject}",
		Confidence: Low,
		General:    true,
		signature:  operatorsStalled,
	}}
}

// A phase that comes later than this after the start of the bootstrap machine is late. The last is the limit of
// openshift-install, which many an installation exceeds and completes all the same.
func late() map[string]time.Duration {
	return map[string]time.Duration{
		state.PhaseMachineConfig: 12 * time.Minute,
		state.PhaseTemporaryAPI:  14 * time.Minute,
		state.PhaseMasters:       28 * time.Minute,
		state.PhaseComplete:      45 * time.Minute,
	}
}

// How long ago something may have gone on for slowness, and from when on it is a standstill.
const (
	lively     = 5 * time.Minute
	standstill = 10 * time.Minute
)

// slow finds the first phase that is late, while something went on not long ago.
func slow(m *moment) clue {
	if m.still(lively) {
		return clue{}
	}
	limits := late()
	for _, phase := range state.Phases() {
		limit, limited := limits[phase]
		if m.has(phase) || !limited {
			continue
		}
		if !m.past(state.PhaseMachine, limit) {
			return clue{}
		}
		return clue{evidence: []string{
			fmt.Sprintf("the bootstrap machine runs for %s, and %s is usually reached within %s", m.age(state.PhaseMachine), phase, span(limit)),
			"something went on at " + m.moved.UTC().Format("15:04 UTC"),
		}}
	}
	return clue{}
}

// bootstrapSilent is more patient with a machine that answers on its SSH port.
func bootstrapSilent(m *moment) clue {
	limit := 15 * time.Minute
	if m.Seen.Probes.SSH.OK {
		limit = 25 * time.Minute
	}
	if m.has(state.PhaseTemporaryAPI) || !m.past(state.PhaseMachine, limit) || !m.still(standstill) {
		return clue{}
	}
	evidence := []string{fmt.Sprintf("the bootstrap machine runs for %s, and the API has never answered", m.age(state.PhaseMachine))}
	for _, way := range []struct {
		name  string
		probe state.Probe
	}{{"SSH", m.Seen.Probes.SSH}, {"API", m.Seen.Probes.Direct}, {"API by name", m.Seen.Probes.API}} {
		if way.probe.Target != "" {
			evidence = append(evidence, said(way.name, way.probe))
		}
	}
	return clue{evidence: append(evidence, m.stages()...)}
}

// stages returns what the bootstrap machine's services are about.
func (m *moment) stages() []string {
	if m.Inside == nil {
		return nil
	}
	var lines []string
	for _, service := range m.Inside.Services {
		if service.Failure != "" && !service.Done {
			lines = append(lines, fmt.Sprintf("service %s failed: %s", service.Service, service.Failure))
		} else if service.Stage != "" {
			lines = append(lines, fmt.Sprintf("service %s is in stage %s since %s", service.Service, service.Stage, service.Since.UTC().Format("15:04 UTC")))
		}
	}
	return lines
}

func noMaster(m *moment) clue {
	const limit = 10 * time.Minute
	silent := m.masters.silent
	if m.masters.heard > 0 || len(silent) == 0 || m.has(state.PhaseMasters) || !m.past(state.PhaseTemporaryAPI, limit) || !m.still(standstill) {
		return clue{}
	}
	return clue{subject: namesOf(silent), evidence: []string{
		fmt.Sprintf("the API answers for %s", m.age(state.PhaseTemporaryAPI)), "never heard of: " + few(namesOf(silent)),
	}}
}

func etcdIncomplete(m *moment) clue {
	const limit = 20 * time.Minute
	masters := m.Spec.Sizing.ControlPlane.Count
	etcd := m.Seen.Etcd
	if m.has(state.PhaseEtcdInCluster) || etcd.InCluster || !m.past(state.PhaseMasters, limit) || !m.still(standstill) {
		return clue{}
	}
	evidence := []string{fmt.Sprintf("the first master has joined %s ago, and etcd has %d of %d members", m.age(state.PhaseMasters), len(etcd.Members), masters+1)}
	return clue{evidence: append(evidence, m.etcdTroubles()...), sure: false}
}

// etcdTroubles returns what is wrong with single members, and what the operator says.
func (m *moment) etcdTroubles() []string {
	var lines []string
	for _, member := range m.Seen.Etcd.Members {
		if member.State != "voter" {
			lines = append(lines, fmt.Sprintf("member %s: %s", member.Name, member.State))
		}
	}
	lines = append(lines, m.Seen.Etcd.Degraded...)
	if held := m.Seen.Etcd.Held; held != "" {
		lines = append(lines, "the bootstrap member is kept: "+held)
	}
	return lines
}

func memberStays(m *moment) clue {
	if !m.has(state.PhaseComplete) || m.has(state.PhaseMemberRemoved) || m.Seen.Etcd.BootstrapRemoved {
		return clue{}
	}
	evidence := []string{"the bootstrap is complete since " + m.Began[state.PhaseComplete].UTC().Format("15:04 UTC")}
	return clue{evidence: append(evidence, m.etcdTroubles()...)}
}

// operatorsStalled waits longer than an operator that makes progress: monitoring and its like take twenty minutes.
func operatorsStalled(m *moment) clue {
	const limit = 25 * time.Minute
	version := m.Seen.Version
	if !m.has(state.PhaseMemberRemoved) || version.Version == "" || version.Installed() || !m.still(limit) {
		return clue{}
	}
	waiting := version.WaitingOn
	if len(waiting) == 0 {
		waiting = version.Unstable
	}
	if len(waiting) == 0 {
		return clue{}
	}
	evidence := []string{fmt.Sprintf("nothing has changed for %s; the version waits for %s", span(m.Now.Sub(m.moved)), few(waiting))}
	return clue{evidence: append(evidence, m.operatorTroubles(waiting)...), subject: []string{strings.Join(waiting[:min(len(waiting), enough)], " ")}}
}

// operatorTroubles returns what operators say.
func (m *moment) operatorTroubles(names []string) []string {
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = true
	}
	var lines []string
	for _, operator := range m.Seen.Operators {
		if wanted[operator.Name] {
			lines = append(lines, fmt.Sprintf("%s is %s: %s", operator.Name, operator.State(), operator.Message))
		}
	}
	return lines
}
