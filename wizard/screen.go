package wizard

import (
	"cmp"
	"strings"

	"exoshift/internal/stable"
	"exoshift/state"
	"exoshift/wizard/profile"
)

// Screen is a group of fields that are asked together.
type Screen string

// The screens with questions, in their order.
const (
	Access  Screen = "access"  // credentials and zone
	Cluster Screen = "cluster" // names and release
	Nodes   Screen = "nodes"   // counts, types and disks
	Network Screen = "network" // address ranges, load balancing and DNS
	Syn     Screen = "syn"     // Project Syn
	Secrecy Screen = "secrets" // pull secret, SSH key, proxy, trust bundle
)

// Screens returns the screens with questions, in their order.
func Screens() []Screen { return []Screen{Access, Cluster, Nodes, Network, Syn, Secrecy} }

var screenTitles = map[Screen]string{ //nolint:gochecknoglobals // a table that nothing changes
	Access: "Access", Cluster: "Cluster", Nodes: "Nodes", Network: "Network and DNS", Syn: "Project Syn", Secrecy: "Secrets",
}

// Title returns the title of a screen.
func (s Screen) Title() string {
	return screenTitles[s]
}

// ListFields returns the fields that a screen asks for, given these answers, in the order of the questions: irrelevant
// fields are left out, and each additional group has fields of its own.
func (s Screen) ListFields(spec state.Spec) []Field {
	var asked []Field
	for _, field := range ListFieldsOf(spec) {
		if field.Screen == s && field.IsRelevant(spec) {
			asked = append(asked, field)
		}
	}
	stable.Sort(asked, func(a, b Field) int { return cmp.Compare(s.rankField(a.Key), s.rankField(b.Key)) })
	return asked
}

// Some fields are asked in another order than in the file.
var fieldOrder = map[Screen][]string{ //nolint:gochecknoglobals // a table that nothing changes
	Access:  {"exoscale.apiKey", "exoscale.apiSecret", "exoscale.zone"},
	Nodes:   {"sizing.controlPlane", "sizing.infra", "sizing.storage", workersKey, GroupsKey, "sizing.loadBalancers"},
	Network: {"network.customerNetworks", "network.", "loadBalancer.", "dns."},
	Syn:     {lieutenantKey, tenantKey, profile.Key, FactsKey + ".", FactsKey, "syn.vaultAddress", vaultMountKey, GitTokenKey, catalogKey},
}

func (s Screen) rankField(key string) int {
	order := fieldOrder[s]
	for i, begin := range order {
		if strings.HasPrefix(key, begin) {
			return i
		}
	}
	return len(order)
}

// Check returns the problems of a screen's answers, including those across fields. A problem between two screens belongs
// to the screen of its field.
func (s Screen) Check(spec state.Spec) []Problem {
	var faults []Problem
	for _, fault := range CheckAsked(spec) {
		if ScreenOf(fault.Field) == s {
			faults = append(faults, fault)
		}
	}
	return faults
}

// CheckAsked is Check for an interview that asks one screen after the other: the missing catalog of Cilium is a problem
// of the catalog's screen, which comes after the networks. Otherwise an interview with Cilium could not get that far.
func CheckAsked(spec state.Spec) []Problem {
	faults := Check(spec)
	for i := range faults {
		if faults[i].Field == cniKey && spec.Network.CNI == cilium {
			faults[i].Field = catalogKey
		}
	}
	return faults
}

// ScreenOf returns the screen of a field, or of a part of one such as network.customerNetworks[0].
func ScreenOf(key string) Screen {
	for fields := Fields(); key != ""; key = ParentOf(key) {
		if field, ok := Find(fields, key); ok {
			return field.Screen
		}
	}
	return ""
}

var screenIntros = map[Screen]string{ //nolint:gochecknoglobals // a table that nothing changes
	Access:  "Exoscale credentials and the cluster's zone.",
	Cluster: "The cluster's name and release.",
	Nodes:   "Number and size of the cluster's instances.",
	Network: "Address ranges, DNS and load balancing.",
	Syn:     "Registration at Project Syn (optional).",
	Secrecy: "Credentials for the nodes' downloads and for SSH access.",
}

// Intro returns the purpose of a screen in one sentence.
func (s Screen) Intro() string {
	return screenIntros[s]
}
