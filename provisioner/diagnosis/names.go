package diagnosis

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"exoshift/state"
)

const rerunHint = "Run the same command again: it adds what is missing and continues."

func buildNameRules() []Rule {
	return []Rule{{
		ID:          "api-name-missing",
		Cause:       "The DNS names of the API do not resolve to this cluster.",
		Fix:         rerunHint,
		Confidence:  Medium,
		Disposition: Repair,
		Blocks:      Bootstrap,
		Restores:    RecordParts,
		HoldFor:     2 * time.Minute,
		WithoutAPI:  true,
		detect:      detectWrongAPINames,
	}, {
		ID:          "routes-unreachable",
		Cause:       "The applications' names do not resolve to the routers, so the cluster cannot reach its own login and console.",
		Fix:         rerunHint,
		Confidence:  Medium,
		Disposition: Repair,
		Blocks:      Operators,
		Restores:    RecordParts,
		HoldFor:     2 * time.Minute,
		detect:      detectUnreachableRoutes,
	}}
}

// detectWrongAPINames checks the zone's own name servers first: if they answer rightly, a resolver that finds nothing has
// cached an older answer.
func detectWrongAPINames(m *inputIndex) detection {
	if wrong := findWrongNames(m, "api."+m.Spec.Domain(), "api-int."+m.Spec.Domain()); len(wrong.evidence) > 0 {
		return wrong
	}
	api := m.Snapshot.Probes.API
	if !hasFailed(api) || api.Layer != state.LayerDNS || !m.hasReached(state.PhaseMachine) {
		return detection{}
	}
	return detection{
		evidence: append([]string{formatProbe("by name", api)}, formatReachable("on the bootstrap machine's own address", m.Snapshot.Probes.Direct)...),
		cause:    "The resolver of this machine does not resolve the API's name.",
		fix:      "Query it; if it has cached that the name does not exist, wait, or use another resolver:\ndig api.{domain}",
	}
}

func formatReachable(way string, probe state.Probe) []string {
	if !probe.OK {
		return nil
	}
	return []string{formatProbe(way, probe)}
}

// A name that could not be resolved is no evidence. One with another target was changed by somebody.
func findWrongNames(m *inputIndex, names ...string) detection {
	var wrong detection
	for _, name := range m.Names {
		if len(name.Wanted) == 0 || !slices.Contains(names, name.Name) {
			continue
		}
		switch {
		case name.Missing:
			wrong.evidence = append(wrong.evidence, fmt.Sprintf("%s has no address; it should resolve to %s", name.Name, formatAddresses(name.Wanted)))
			wrong.objects = append(wrong.objects, name.Name)
		case len(name.Found) > 0 && !slices.ContainsFunc(name.Found, func(a netip.Addr) bool { return slices.Contains(name.Wanted, a) }):
			wrong.evidence = append(wrong.evidence, fmt.Sprintf("%s resolves to %s instead of %s", name.Name, formatAddresses(name.Found), formatAddresses(name.Wanted)))
			wrong.objects = append(wrong.objects, name.Name)
			wrong.changed, wrong.fix = true, "Delete the wrong record, then run the same command again: it adds what is missing and continues."
		}
	}
	wrong.sure = len(wrong.evidence) > 0
	return wrong
}

func formatAddresses(addresses []netip.Addr) string {
	texts := make([]string, len(addresses))
	for n, address := range addresses {
		texts[n] = address.String()
	}
	return joinLimited(texts)
}

// Names below the applications' domain are checked once there are nodes that may run routers; before that, they are not
// needed.
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
	complaints := listRouteProblems(m)
	if wrong := findWrongNames(m, names...); len(wrong.evidence) > 0 {
		wrong.evidence = append(wrong.evidence, complaints...)
		return wrong
	}
	hasReason := len(detectRoutersOnMasters(m).evidence) > 0 || len(detectAddressConflict(m).evidence) > 0
	if len(m.Snapshot.Routers) == 0 || !m.isStalled(routeGracePeriod) || hasReason {
		return detection{}
	}
	return detection{
		evidence: complaints,
		fix:      "Check where the routers run, and whether the load balancers forward to these nodes:\noc -n openshift-ingress get pods -o wide",
	}
}

// Operators that complain about routes count only after this long without progress: they always do for some minutes,
// until the routers run and the load balancers have detected them.
const routeGracePeriod = 10 * time.Minute

func listRouteProblems(m *inputIndex) []string {
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

func containsAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return word != "" && strings.Contains(text, word) })
}
