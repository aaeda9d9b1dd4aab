package wizard

import (
	"strings"

	"exoshift/state"
)

// idleAnswers point out answers that nothing acts on beside the others, and what is left to the operator.
func idleAnswers(spec state.Spec) []Fault {
	faults := withoutSyn(spec)
	if spec.LoadBalancer.ProxyProtocol && spec.RoundRobin() {
		faults = append(faults, of("loadBalancer.proxyProtocol", wrong("without load balancers nobody speaks the PROXY protocol: the answer is kept only", "", ""))...)
	}
	if apps := spec.DNS.AppsDomain; apps != "" && !strings.HasSuffix(apps, "."+spec.Domain()) {
		faults = append(faults, of("dns.appsDomain", wrong("it is outside of the cluster's zone: you lead *."+apps+" to ingress."+spec.Domain()+" yourself, and the installation waits for that: the console is there", "", ""))...)
	}
	return faults
}
