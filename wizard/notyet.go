package wizard

import (
	"strings"

	"exoshift/state"
)

// notUsedYet points out answers that are kept, but that nothing acts on yet.
func notUsedYet(spec state.Spec) []Fault {
	var faults []Fault
	if spec.Syn.LieutenantURL != "" {
		faults = of("syn.lieutenantURL", wrong("connecting to Project Syn is not available yet: the answer is kept only", "", ""))
	}
	if spec.DNS.ACME {
		faults = append(faults, of("dns.acme", wrong("certificates by ACME come with Project Syn: the answer is kept only", "", ""))...)
	}
	if spec.LoadBalancer.ProxyProtocol && spec.RoundRobin() {
		faults = append(faults, of("loadBalancer.proxyProtocol", wrong("without load balancers nobody speaks the PROXY protocol: the answer is kept only", "", ""))...)
	}
	if apps := spec.DNS.AppsDomain; apps != "" && !strings.HasSuffix(apps, "."+spec.Domain()) {
		faults = append(faults, of("dns.appsDomain", wrong("it is outside of the cluster's zone: you lead *."+apps+" to ingress."+spec.Domain()+" yourself, and the installation waits for that: the console is there", "", ""))...)
	}
	return faults
}
