package reach

import (
	"fmt"
	"net/url"
	"strings"

	"exoshift/state"
)

type condition struct {
	text  string // for humans, after "when"
	holds func(Scope) bool
	// answered: it depends on answers; as long as they are missing, it may hold.
	answered bool
}

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
		"acme":          asked("ACME certificates are enabled", func(s state.Spec) bool { return s.DNS.ACME }),
		"ccm":           asked("Exoscale's cloud controller is installed", func(s state.Spec) bool { return s.OpenShift.CloudControllerManager == "External" }),
		"csi":           asked("Exoscale's storage driver is installed", state.Spec.HasOwnStorageDriver),
		"cilium":        asked("the network plugin is Cilium", func(s state.Spec) bool { return s.Network.CNI == "Cilium" }),
		"haproxy":       asked("there are load balancers", func(s state.Spec) bool { return !s.IsRoundRobin() }),
		"http-proxy":    asked("the nodes have different proxies for HTTP and HTTPS", hasOtherHTTPProxy),
		"https-proxy":   asked("the nodes have an HTTPS proxy", func(s state.Spec) bool { return s.OpenShift.Proxy.HTTPS != "" }),

		"installed": {"the cluster is installed", func(s Scope) bool { return s.Installed }, false},
		"in-zone":   {"the checks run in the zone", func(s Scope) bool { return s.Source == Zone }, false},

		// Endpoints that only humans use are checked only when requested by ID.
		"person":          {"on request: used by people only", never, false},
		"puppet":          {"on request: only for load balancers managed by Puppet", never, false},
		"terraform":       {"on request: only for installations with Terraform", never, false},
		"compile":         {"on request: only for compiling a catalog", never, false},
		"cloud-paks":      {"on request: only for IBM Cloud Paks", never, false},
		"integration":     {"on request: only for test clusters", never, false},
		"private-network": {"on request: only for nodes in a private network", never, false},
	}
}

// The second result is false as long as only the zone is known and the answers decide. A condition may be an alternative:
// "syn|ccm".
func (s Scope) matchConditions(names []string) (held, certain bool, err error) {
	known, certain := listConditions(), true
	for _, alternatives := range names {
		holds := false
		for name := range strings.SplitSeq(alternatives, "|") {
			c, ok := known[name]
			if !ok {
				return false, false, fmt.Errorf("unknown condition %q", name)
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

// The machines of later releases start from CentOS Stream CoreOS 10.
func onStream9(spec state.Spec) bool {
	return isOKD(spec) && strings.HasPrefix(spec.OpenShift.Version, "4.19.")
}

func isVSHN(spec state.Spec) bool {
	lieutenant, err := url.Parse(spec.Syn.LieutenantURL)
	return err == nil && strings.HasSuffix("."+strings.ToLower(lieutenant.Hostname()), ".vshn.net")
}

func hasOtherHTTPProxy(spec state.Spec) bool {
	plain, secure := spec.OpenShift.Proxy.HTTP, spec.OpenShift.Proxy.HTTPS
	return plain != "" && parseProxyAddress(plain) != parseProxyAddress(secure)
}
