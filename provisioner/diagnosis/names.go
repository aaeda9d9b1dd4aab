package diagnosis

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"exoshift/state"
)

// rerunHint is what repairs everything that the recipe itself makes.
const rerunHint = "Run the same command again: it adds what is missing and goes on."

// buildNameRules are about names that lead nowhere, or elsewhere.
func buildNameRules() []Rule {
	return []Rule{{
		ID:         "api-name-missing",
		Cause:      "The names of the API do not lead to this cluster.",
		Fix:        rerunHint,
		Confidence: Medium,
		HoldFor:    2 * time.Minute,
		WithoutAPI: true,
		detect:     detectWrongAPINames,
	}, {
		ID:         "routes-unreachable",
		Cause:      "The applications' names do not lead to the routers, so the cluster cannot reach its own login and console.",
		Fix:        rerunHint,
		Confidence: Medium,
		HoldFor:    2 * time.Minute,
		detect:     detectUnreachableRoutes,
	}}
}

// detectWrongAPINames looks at the zone's own name servers first: who finds nothing though they answer rightly has only remembered
// an older answer.
func detectWrongAPINames(m *inputIndex) detection {
	if wrong := m.findWrongNames("api."+m.Spec.Domain(), "api-int."+m.Spec.Domain()); len(wrong) > 0 {
		return detection{evidence: wrong, sure: true}
	}
	api := m.Snapshot.Probes.API
	if !hasFailed(api) || api.Layer != state.LayerDNS || !m.hasReached(state.PhaseMachine) {
		return detection{}
	}
	return detection{
		evidence: append([]string{formatProbe("by name", api)}, formatReachable("on the bootstrap machine's own address", m.Snapshot.Probes.Direct)...),
		cause:    "The resolver of this machine does not find the API's name.",
		fix:      "Ask it yourself; if it still remembers that there was no such name, wait, or use another resolver:\ndig api.{domain}",
	}
}

func formatReachable(way string, probe state.Probe) []string {
	if !probe.OK {
		return nil
	}
	return []string{formatProbe(way, probe)}
}

// findWrongNames tells of names that do not lead where they should. An answer that could not be had says nothing.
func (m *inputIndex) findWrongNames(names ...string) []string {
	var wrong []string
	for _, name := range m.Names {
		if len(name.Wanted) == 0 || !slices.Contains(names, name.Name) {
			continue
		}
		switch {
		case name.Missing:
			wrong = append(wrong, fmt.Sprintf("%s has no address; it should lead to %s", name.Name, formatAddresses(name.Wanted)))
		case len(name.Found) > 0 && !slices.ContainsFunc(name.Found, func(a netip.Addr) bool { return slices.Contains(name.Wanted, a) }):
			wrong = append(wrong, fmt.Sprintf("%s leads to %s, and not to %s", name.Name, formatAddresses(name.Found), formatAddresses(name.Wanted)))
		}
	}
	return wrong
}

func formatAddresses(addresses []netip.Addr) string {
	texts := make([]string, len(addresses))
	for n, address := range addresses {
		texts[n] = address.String()
	}
	return joinLimited(texts)
}

// detectUnreachableRoutes looks at the names below the applications' domain once there are nodes that may carry routers; before that,
// nobody needs them.
func detectUnreachableRoutes(m *inputIndex) detection {
	if !m.hasReached(state.PhaseNodes) && len(m.Snapshot.Routers) == 0 {
		return detection{}
	}
	var names []string
	for _, name := range m.Names {
		if strings.HasSuffix(name.Name, "."+m.Spec.AppsDomain()) {
			names = append(names, name.Name)
		}
	}
	complaints := m.listRouteProblems()
	if wrong := m.findWrongNames(names...); len(wrong) > 0 {
		return detection{evidence: append(wrong, complaints...), sure: true}
	}
	if len(m.Snapshot.Routers) == 0 || !m.isStalled(routeGracePeriod) {
		return detection{}
	}
	return detection{
		evidence: complaints,
		fix:      "See where the routers run, and whether the load balancers send to these nodes:\noc -n openshift-ingress get pods -o wide",
	}
}

// routeGracePeriod is how long everything must have stood still before operators that complain about routes count: they
// always do for some minutes, until the routers run and the load balancers have seen them.
const routeGracePeriod = 10 * time.Minute

// listRouteProblems returns what operators say about routes that they cannot reach.
func (m *inputIndex) listRouteProblems() []string {
	var complaints []string
	for _, operator := range m.Snapshot.Operators {
		if operator.Name != "authentication" && operator.Name != "console" && operator.Name != "ingress" || operator.Stable {
			continue
		}
		if containsAny(operator.Reason+" "+operator.Message, "RouteHealth", "OAuthServerRouteEndpoint", "oauth-openshift", "console-openshift-console", m.Spec.AppsDomain()) {
			complaints = append(complaints, fmt.Sprintf("operator %s: %s", operator.Name, operator.Message))
		}
	}
	return complaints
}

// containsAny tells whether a text speaks of one of these.
func containsAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return word != "" && strings.Contains(text, word) })
}
