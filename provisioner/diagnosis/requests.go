package diagnosis

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"exoshift/state"
)

func buildRequestRules() []Rule {
	return []Rule{{
		ID:          "requests-left",
		Cause:       "Certificate requests of nodes break a rule and need your review.",
		Fix:         "Check what they request; approve them only if that is intended:\noc describe csr {subject}",
		Confidence:  High,
		Disposition: Wait,
		Waits:       "once you have approved a request, or the machine asks for what it may have, the installation goes on",
		Blocks:      Nodes,
		HoldFor:     3 * time.Minute,
		detect:      detectSkippedRequests,
	}}
}

// Only requests of the cluster's nodes count; other requests hold nothing up and are shown elsewhere.
func detectSkippedRequests(m *inputIndex) detection {
	if !slices.ContainsFunc(m.Snapshot.Requests, func(r state.NodeRequest) bool { return r.BlockedReason != "" }) {
		return detection{}
	}
	answered := findAnsweredRequests(m)
	var evidence, stale, undecided, waiting []string
	var names shellNames
	for _, request := range m.Snapshot.Requests {
		_, ours := m.machines[request.Node]
		last, served := answered[certificate{request.Node, request.Serving}]
		switch {
		case !ours, request.State != state.RequestPending, request.BlockedReason == "":
		case served && !request.Created.After(last), !request.Serving && m.nodes[request.Node].Ready:
		default:
			evidence = append(evidence, fmt.Sprintf("request %s of %s, %s old: %s", quoteName(request.Name), request.Node, formatDuration(m.Now.Sub(request.Created)), request.BlockedReason))
			names.add(request.Name)
			waiting = append(waiting, request.Node)
			if request.BlockedReason == state.SkippedRegistered && !slices.Contains(stale, request.Node) {
				stale = append(stale, request.Node)
			}
			if request.Keys > 0 && !slices.Contains(undecided, request.Node) {
				undecided = append(undecided, request.Node)
			}
		}
	}
	blocks := findBlockedPhase(m, waiting)
	if len(stale) > 0 {
		return detection{
			evidence: evidence, blocks: blocks, subject: []string{strings.Join(stale, " ")},
			cause: "Machines request to join under the names of nodes that exist and are not Ready.",
			fix:   "If you replaced the machines, delete the nodes of the old ones:\noc delete node {subject}",
		}
	}
	if len(undecided) > 0 {
		return detection{
			evidence: evidence, blocks: blocks, subject: []string{strings.Join(undecided[:min(len(undecided), maxListed)], ",")},
			cause: "Machines request their first certificate with one key after the other, and do not register.",
			fix: "Check their consoles: either their certificates get lost, or someone else requests them in their name. To approve one more key of " +
				"each, press a on the dashboard, or run again with:\n--approve-new-key {subject}",
		}
	}
	if len(names) == 0 {
		return detection{evidence: evidence, blocks: blocks, fix: "Check what they request; approve them only if that is intended:\noc get csr"}
	}
	return detection{evidence: evidence, blocks: blocks, subject: []string{strings.Join(names, " ")}}
}

type shellNames []string

// A name of the API that means nothing to a shell. A request for a certificate may have any other name, at the choice of
// its creator.
var plainName = regexp.MustCompile(`^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$`)

func (c *shellNames) add(name string) {
	if len(*c) < maxListed && plainName.MatchString(name) {
		*c = append(*c, name)
	}
}

func quoteName(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}

type certificate struct {
	node    string
	serving bool
}

func findAnsweredRequests(m *inputIndex) map[certificate]time.Time {
	newest := map[certificate]time.Time{}
	for _, request := range m.Snapshot.Requests {
		good := request.State == state.RequestApproved || request.State == state.RequestIssued ||
			request.State == state.RequestPending && request.BlockedReason == ""
		key := certificate{request.Node, request.Serving}
		if good && !request.Created.Before(newest[key]) {
			newest[key] = request.Created
		}
	}
	return newest
}
