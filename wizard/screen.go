package wizard

import "exoshift/state"

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

// Title is what a screen is called.
func (s Screen) Title() string {
	return map[Screen]string{
		Access: "Access", Cluster: "Cluster", Nodes: "Nodes", Network: "Network and DNS", Syn: "Project Syn", Secrecy: "Secrets",
	}[s]
}

// Fields returns what is asked on a screen of those who gave these answers: fields that mean nothing beside the other
// answers are left out, and each additional group has fields of its own.
func (s Screen) Fields(spec state.Spec) []Field {
	var asked []Field
	for _, field := range fieldsOf(spec) {
		if field.Screen == s && field.AskedOf(spec) {
			asked = append(asked, field)
		}
	}
	return asked
}

// Faults returns what is wrong with the answers of a screen, across fields, too. What is wrong between two screens
// belongs to that of the field which the fault names.
func (s Screen) Faults(spec state.Spec) []Fault {
	var faults []Fault
	for _, fault := range Check(spec) {
		if ScreenOf(fault.Field) == s {
			faults = append(faults, fault)
		}
	}
	return faults
}

// ScreenOf returns the screen of a field, or of a part of one such as network.customerNetworks[0].
func ScreenOf(key string) Screen {
	for ; key != ""; key = parent(key) {
		for _, field := range Fields() {
			if field.Key == key {
				return field.Screen
			}
		}
	}
	return ""
}
