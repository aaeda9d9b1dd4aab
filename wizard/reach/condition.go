package reach

import (
	"fmt"
	"net/url"
	"strings"

	"exoshift/state"
)

// condition is what an endpoint of the catalogue is checked for.
type condition struct {
	text  string // for people, after "when"
	holds func(Scope) bool
	// answered: it depends on answers, and holds perhaps as long as they are not given.
	answered bool
}

// listConditions returns all conditions by their names in the catalogue.
func listConditions() map[string]condition {
	never := func(Scope) bool { return false }
	asked := func(text string, holds func(state.Spec) bool) condition {
		return condition{text, func(s Scope) bool { return holds(s.Spec) }, true}
	}
	return map[string]condition{
		"ocp":           asked("OpenShift Container Platform is installed", func(s state.Spec) bool { return !isOKD(s) }),
		"okd":           asked("OKD is installed", isOKD),
		"okd-stream-9":  asked("OKD 4.19 is installed", onStream9),
		"okd-stream-10": asked("OKD 4.20 or later is installed", func(s state.Spec) bool { return isOKD(s) && !onStream9(s) }),
		"syn":           asked("the cluster is connected to Project Syn", func(s state.Spec) bool { return s.Syn.LieutenantURL != "" }),
		"vshn":          asked("VSHN runs Project Syn", isVSHN),
		"acme":          asked("certificates come by ACME", func(s state.Spec) bool { return s.DNS.ACME }),
		"ccm":           asked("Exoscale's cloud controller is installed", func(s state.Spec) bool { return s.OpenShift.CloudControllerManager == "External" }),
		"cilium":        asked("the network plugin is Cilium", func(s state.Spec) bool { return s.Network.CNI == "Cilium" }),
		"haproxy":       asked("there are load balancers", func(s state.Spec) bool { return !s.IsRoundRobin() }),
		"http-proxy":    asked("the nodes have a proxy for http that is another one than for https", hasOtherHTTPProxy),
		"https-proxy":   asked("the nodes have a proxy for https", func(s state.Spec) bool { return s.OpenShift.Proxy.HTTPS != "" }),

		"installed": {"the cluster stands", func(s Scope) bool { return s.Installed }, false},
		"in-zone":   {"the checks are made in the zone", func(s Scope) bool { return s.Source == Zone }, false},

		// What nobody's answers say: such endpoints are checked only if somebody asks for them by their IDs.
		"person":          {"asked for: only people use it", never, false},
		"puppet":          {"asked for: only load balancers that Puppet configures need it", never, false},
		"terraform":       {"asked for: only installations with Terraform need it", never, false},
		"compile":         {"asked for: only those who compile a catalog need it", never, false},
		"cloud-paks":      {"asked for: only IBM's Cloud Paks need it", never, false},
		"integration":     {"asked for: only clusters for tests need it", never, false},
		"private-network": {"asked for: only nodes in a private network need it", never, false},
	}
}

// matchConditions tells whether all conditions hold, and whether that is certain: as long as only the zone is known, what the
// answers decide holds perhaps. A condition may name several of which one is enough: "syn|ccm".
func (s Scope) matchConditions(names []string) (held, certain bool, err error) {
	known, certain := listConditions(), true
	for _, alternatives := range names {
		holds := false
		for name := range strings.SplitSeq(alternatives, "|") {
			c, ok := known[name]
			if !ok {
				return false, false, fmt.Errorf("there is no condition %q", name)
			}
			perhaps := s.Partial && c.answered
			holds, certain = holds || perhaps || c.holds(s), certain && !perhaps
		}
		if !holds {
			return false, false, nil
		}
	}
	return true, certain, nil
}

func isOKD(spec state.Spec) bool { return spec.OpenShift.Distribution == "okd" }

// onStream9 tells whether the machines start from CentOS Stream CoreOS 9; later releases are on 10.
func onStream9(spec state.Spec) bool {
	return isOKD(spec) && strings.HasPrefix(spec.OpenShift.Version, "4.19.")
}

// isVSHN tells whether Project Syn is run by VSHN.
func isVSHN(spec state.Spec) bool {
	lieutenant, err := url.Parse(spec.Syn.LieutenantURL)
	return err == nil && strings.HasSuffix("."+strings.ToLower(lieutenant.Hostname()), ".vshn.net")
}

func hasOtherHTTPProxy(spec state.Spec) bool {
	plain, secure := spec.OpenShift.Proxy.HTTP, spec.OpenShift.Proxy.HTTPS
	return plain != "" && parseProxyAddress(plain) != parseProxyAddress(secure)
}
