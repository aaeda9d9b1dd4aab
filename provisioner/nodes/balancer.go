package nodes

import (
	"slices"
	"strings"

	"exoshift/state"
)

// Balancer is what is known of a load balancer beyond its machine.
type Balancer struct {
	Failure     string                     // why it does not answer; "": it does
	Replacement *state.BalancerReplacement // one that was begun and not ended; nil: there is none
}

func (b Balancer) list() (findings []string) {
	if b.Failure != "" {
		findings = append(findings, "it does not answer: "+b.Failure)
	}
	if b.Replacement != nil {
		findings = append(findings, "its replacement has not ended: exoshift nodes replace "+strings.Join(b.Replacement.Of, " "))
	}
	return findings
}

// JoinBalancers joins the load balancers of the answers with their machines. Others have no place in a cluster.
func JoinBalancers(spec state.Spec, facts state.Facts, machines []state.Instance) []Node {
	var all []Node
	for _, machine := range spec.Machines(state.RoleLoadBalancer) {
		node := Node{Name: machine.Name, Role: state.RoleLoadBalancer, Answer: &machine, Balancer: &Balancer{Failure: "there is no machine"}}
		if at := slices.IndexFunc(machines, func(i state.Instance) bool { return i.Name == machine.Name }); at >= 0 {
			node.Machine = &machines[at]
		}
		if begun := facts.FindBalancer(machine.Name); begun != nil && (node.Machine == nil || node.Machine.ID == begun.MachineID) {
			node.Balancer.Replacement = begun
		}
		all = append(all, node)
	}
	return all
}
