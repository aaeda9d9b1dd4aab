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

// requestRules are about certificates that nobody approves.
func requestRules() []Rule {
	return []Rule{{
		ID:         "requests-left",
		Cause:      "Nodes wait for certificates whose requests break a rule; these are left to you.",
		Fix:        "Look at what they ask for; approve them only if you know why they do:\noc describe csr {subject}",
		Confidence: High,
		Patience:   3 * time.Minute,
		signature:  requestsLeft,
	}}
}

// requestsLeft finds what was left of the requests of nodes that need them. What else asks for certificates is shown
// elsewhere, and holds nothing up.
func requestsLeft(m *moment) clue {
	if !slices.ContainsFunc(m.Seen.Requests, func(r state.NodeRequest) bool { return r.Refusal != "" }) {
		return clue{}
	}
	answered := m.answered()
	var evidence, stale, undecided []string
	var names copied
	for _, request := range m.Seen.Requests {
		_, ours := m.machines[request.Node]
		last, served := answered[certificate{request.Node, request.Serving}]
		switch {
		case !ours, request.State != state.RequestPending, request.Refusal == "":
		case served && !request.Created.After(last), !request.Serving && m.nodes[request.Node].Ready:
		default:
			evidence = append(evidence, fmt.Sprintf("request %s of %s, %s old: %s", quoted(request.Name), request.Node, span(m.Now.Sub(request.Created)), request.Refusal))
			names.add(request.Name)
			if request.Refusal == state.LeftRegistered && !slices.Contains(stale, request.Node) {
				stale = append(stale, request.Node)
			}
			if request.Keys > 0 && !slices.Contains(undecided, request.Node) {
				undecided = append(undecided, request.Node)
			}
		}
	}
	if len(stale) > 0 {
		return clue{
			evidence: evidence, subject: []string{strings.Join(stale, " ")},
			cause: "Machines ask to join in the name of nodes that exist and are not Ready.",
			fix:   "If you replaced the machines, delete the nodes of the old ones:\noc delete node {subject}",
		}
	}
	if len(undecided) > 0 {
		return clue{
			evidence: evidence, subject: []string{strings.Join(undecided[:min(len(undecided), enough)], ",")},
			cause: "Machines ask for their first certificate with one key after the other, and do not register.",
			fix: "Look at their consoles: either their certificates get lost, or somebody else asks in their name. To approve one more key of " +
				"each, press a on the dashboard, or run again with:\n--approve-new-key {subject}",
		}
	}
	if len(names) == 0 {
		return clue{evidence: evidence, fix: "Look at what they ask for; approve them only if you know why they do:\noc get csr"}
	}
	return clue{evidence: evidence, subject: []string{strings.Join(names, " ")}}
}

// copied are names for a command that people copy into their shell.
type copied []string

// plainName is what a name of the API looks like that means nothing to a shell. Requests for certificates may be called
// anything else, too, by whoever makes them.
var plainName = regexp.MustCompile(`^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$`)

func (c *copied) add(name string) {
	if len(*c) < enough && plainName.MatchString(name) {
		*c = append(*c, name)
	}
}

// quoted returns a name as it is, or in quotes if it is not like others.
func quoted(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}

// certificate is one that a node needs.
type certificate struct {
	node    string
	serving bool
}

// answered returns when the newest request was made for each certificate that was, or may be, approved.
func (m *moment) answered() map[certificate]time.Time {
	newest := map[certificate]time.Time{}
	for _, request := range m.Seen.Requests {
		good := request.State == state.RequestApproved || request.State == state.RequestIssued ||
			request.State == state.RequestPending && request.Refusal == ""
		key := certificate{request.Node, request.Serving}
		if good && !request.Created.Before(newest[key]) {
			newest[key] = request.Created
		}
	}
	return newest
}
