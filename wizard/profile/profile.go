// Package profile has the defaults of answers that depend on the profile of a cluster.
package profile

import "exoshift/state"

// Key is the key of the profile.
const Key = "cluster.profile"

// Origin is that of an answer that is a default of the profile of APPUiO.
const Origin = "profile " + state.ProfileAPPUiO

// Suggest returns the profile that suits most clusters, or "" if it is of no importance.
func Suggest(spec state.Spec) string {
	if spec.Syn.LieutenantURL != "" {
		return state.ProfileAPPUiO
	}
	return ""
}

// Apply gives each answer that depends on the profile, and that nobody gave, its default. origins are those of all answers, by key:
// that of a profile's own default is Origin, and of another default there is none.
func Apply(spec *state.Spec, origins map[string]string) {
	d := defaults{spec: spec, own: newDefaults(*spec), usual: state.Default(), origins: origins}
	apply(d, "network.cni", func(s *state.Spec) *string { return &s.Network.CNI })
	apply(d, "openshift.cloudControllerManager", func(s *state.Spec) *string { return &s.OpenShift.CloudControllerManager })
	apply(d, "dns.acme", func(s *state.Spec) *bool { return &s.DNS.ACME })
	apply(d, "loadBalancer.proxyProtocol", func(s *state.Spec) *bool { return &s.LoadBalancer.ProxyProtocol })
}

func newDefaults(spec state.Spec) state.Spec {
	own := state.Default()
	if spec.HasAPPUiOProfile() {
		own.Network.CNI, own.OpenShift.CloudControllerManager, own.DNS.ACME = "Cilium", "External", true
		own.LoadBalancer.ProxyProtocol = own.LoadBalancer.ProxyProtocol || !spec.IsRoundRobin()
	}
	return own
}

type defaults struct {
	spec       *state.Spec
	own, usual state.Spec // the profile's, and those without one
	origins    map[string]string
}

func apply[T comparable](d defaults, key string, at func(*state.Spec) *T) {
	if origin, given := d.origins[key]; given && origin != Origin {
		return
	}
	delete(d.origins, key)
	if *at(d.spec) = *at(&d.own); *at(&d.own) != *at(&d.usual) {
		d.origins[key] = Origin
	}
}
