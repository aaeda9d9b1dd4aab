package simcloud

import "exoshift/internal/simcloud/openshift"

// slowness is how many times as long everything takes on slow machines.
const slowness = 4

// troubles returns what is wrong inside of the zone's clusters.
func (z *Zone) troubles() openshift.Troubles {
	return map[string]openshift.Troubles{
		slow:               {Slowness: slowness},
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
	}[z.options.Scenario]
}
