package simcloud

import "exoshift/internal/simcloud/scenario"

// slowness is the factor on durations of slow machines.
const slowness = 4

func buildClusterFaults(name string) scenario.Cluster {
	return map[string]scenario.Cluster{
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
	}[name]
}
