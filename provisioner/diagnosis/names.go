package diagnosis

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"exoshift/state"
)

// rerun is what repairs everything that the recipe itself makes.
const rerun = "Run the same command again: it adds what is missing and goes on."

// nameRules are about names that lead nowhere, or elsewhere.
func nameRules() []Rule {
	return []Rule{{
		ID:         "api-name-missing",
		Cause:      "The names of the API do not lead to this cluster.",
		Fix:        rerun,
		Confidence: Medium,
		Patience:   2 * time.Minute,
		Blind:      true,
		signature:  apiNames,
	}, {
		ID:         "routes-unreachable",
		Cause:      "The applications' names do not lead to the routers, so the cluster cannot reach its own login and console.",
		Fix:        rerun,
		Confidence: Medium,
		Patience:   2 * time.Minute,
		signature:  routes,
	}}
}

// apiNames looks at the zone's own name servers first: who finds nothing though they answer rightly has only remembered
// an older answer.
func apiNames(m *moment) clue {
	if wrong := m.wrongNames("api."+m.Spec.Domain(), "api-int."+m.Spec.Domain()); len(wrong) > 0 {
		return clue{evidence: wrong, sure: true}
	}
	api := m.Seen.Probes.API
	if !failed(api) || api.Layer != state.LayerDNS || !m.has(state.PhaseMachine) {
		return clue{}
	}
	return clue{
		evidence: append([]string{said("by name", api)}, reached("on the bootstrap machine's own address", m.Seen.Probes.Direct)...),
		cause:    "The resolver of this machine does not find the API's name.",
		fix:      "Ask it yourself; if it still remembers that there was no such name, wait, or use another resolver:\ndig api.{domain}",
	}
}

func reached(way string, probe state.Probe) []string {
	if !probe.OK {
		return nil
	}
	return []string{said(way, probe)}
}

// wrongNames tells of names that do not lead where they should. An answer that could not be had says nothing.
func (m *moment) wrongNames(names ...string) []string {
	var wrong []string
	for _, name := range m.Names {
		if len(name.Wanted) == 0 || !slices.Contains(names, name.Name) {
			continue
		}
		switch {
		case name.Missing:
			wrong = append(wrong, fmt.Sprintf("%s has no address; it should lead to %s", name.Name, list(name.Wanted)))
		case len(name.Found) > 0 && !slices.ContainsFunc(name.Found, func(a netip.Addr) bool { return slices.Contains(name.Wanted, a) }):
			wrong = append(wrong, fmt.Sprintf("%s leads to %s, and not to %s", name.Name, list(name.Found), list(name.Wanted)))
		}
	}
	return wrong
}

func list(addresses []netip.Addr) string {
	texts := make([]string, len(addresses))
	for n, address := range addresses {
		texts[n] = address.String()
	}
	return few(texts)
}

// routes looks at the names below the applications' domain once there are nodes that may carry routers; before that,
// nobody needs them.
func routes(m *moment) clue {
	if !m.has(state.PhaseNodes) && len(m.Seen.Routers) == 0 {
		return clue{}
	}
	var names []string
	for _, name := range m.Names {
		if strings.HasSuffix(name.Name, "."+m.Spec.AppsDomain()) {
			names = append(names, name.Name)
		}
	}
	complaints := m.routeComplaints()
	if wrong := m.wrongNames(names...); len(wrong) > 0 {
		return clue{evidence: append(wrong, complaints...), sure: true}
	}
	if len(m.Seen.Routers) == 0 || !m.still(unreachable) {
		return clue{}
	}
	return clue{
		evidence: complaints,
		fix:      "See where the routers run, and whether the load balancers send to these nodes:\noc -n openshift-ingress get pods -o wide",
	}
}

// unreachable is how long everything must have stood still before operators that complain about routes count: they
// always do for some minutes, until the routers run and the load balancers have seen them.
const unreachable = 10 * time.Minute

// routeComplaints returns what operators say about routes that they cannot reach.
func (m *moment) routeComplaints() []string {
	var complaints []string
	for _, operator := range m.Seen.Operators {
		if operator.Name != "authentication" && operator.Name != "console" && operator.Name != "ingress" || operator.Stable {
			continue
		}
		if about(operator.Reason+" "+operator.Message, "RouteHealth", "OAuthServerRouteEndpoint", "oauth-openshift", "console-openshift-console", m.Spec.AppsDomain()) {
			complaints = append(complaints, fmt.Sprintf("operator %s: %s", operator.Name, operator.Message))
		}
	}
	return complaints
}

// about tells whether a text speaks of one of these.
func about(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return word != "" && strings.Contains(text, word) })
}
