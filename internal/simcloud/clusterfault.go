package simcloud

import "exoshift/internal/simcloud/openshift"

// slowness is the factor on durations of slow machines.
const slowness = 4

func buildClusterFaults(scenario string) openshift.Faults {
	return map[string]openshift.Faults{
		slowMachines:       {Slowness: slowness},
		etcdSlowDisk:       {SlowDisks: true},
		bootstrapStays:     {MemberBreaks: true},
		etcdIncomplete:     {LeftoverData: true},
		operatorsStalled:   {SmallNodes: true},
		certificateExpired: {ExpiredCertificates: true},
		foreignAuthority:   {ForeignAuthority: true},
		workerUnserved:     {WorkersUnserved: true},
		requestsLeft:       {GreedyRequests: true},
		certificateLost:    {LostCertificates: true},
		noHostname:         {BlankHostnames: true},
		configMismatch:     {MixedConfigs: true},
		wrongNodeAddress:   {SecondInterface: true},
		routersOnMasters:   {RoutersOnMasters: true},
		slowArgo:           {SlowArgo: true},
		unexpectedAlert:    {UnexpectedAlert: true},
	}[scenario]
}
