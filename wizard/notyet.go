package wizard

import (
	"strings"

	"exoshift/state"
)

// Ways to balance the load.
const (
	haproxyPair   = "haproxy-pair"
	dnsRoundRobin = "dns-round-robin"
)

// notAvailableYet refuses what the format can say and the installation cannot do: better now than after an hour.
func notAvailableYet(spec state.Spec) []Fault {
	refusals := []struct {
		refused              bool
		field, what, instead string
	}{
		{spec.OpenShift.Distribution == "okd", "openshift.distribution", "okd", "ocp"},
		{spec.Network.CNI == "Cilium", "network.cni", "Cilium", "OVNKubernetes"},
	}
	var faults []Fault
	for _, r := range refusals {
		if r.refused {
			faults = append(faults, of(r.field, wrong(r.what+" is not available yet", r.instead, ""))...)
		}
	}
	return faults
}

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
		faults = append(faults, of("dns.appsDomain", wrong("it is outside of the cluster's zone: you lead *."+apps+" to ingress."+spec.Domain()+" yourself", "", ""))...)
	}
	return faults
}
