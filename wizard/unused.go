package wizard

import (
	"strings"

	"exoshift/state"
)

// checkUnusedAnswers warns of answers without an effect, and of tasks that are left to the operator.
func checkUnusedAnswers(spec state.Spec) []Problem {
	faults := checkWithoutSyn(spec)
	if spec.LoadBalancer.ProxyProtocol && spec.IsRoundRobin() {
		faults = append(faults, withField("loadBalancer.proxyProtocol", newProblem("without load balancers nobody speaks the PROXY protocol: the answer is kept only", "", ""))...)
	}
	if apps := spec.DNS.AppsDomain; apps != "" && !strings.HasSuffix(apps, "."+spec.Domain()) {
		faults = append(faults, withField("dns.appsDomain", newProblem("it is outside of the cluster's zone: you lead *."+apps+" to ingress."+spec.Domain()+" yourself, and the installation waits for that: the console is there", "", ""))...)
	}
	return faults
}
