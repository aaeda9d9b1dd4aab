package nodeverbs

import (
	"fmt"
	"io"
	"strings"

	"exoshift/internal/app/nodes"
	"exoshift/internal/console"
	"exoshift/internal/text"
	"exoshift/provisioner/balancers"
	"exoshift/state"
)

// nameTargets returns what the plan is about.
func nameTargets(plan nodes.Plan) string {
	if len(plan.Balancers) > 0 {
		return "load balancers"
	}
	return "nodes"
}

func countTargets(plan nodes.Plan) string {
	if count := len(plan.Balancers); count > 0 {
		return text.Plural(count, "load balancer")
	}
	return text.Plural(len(plan.Targets), "node")
}

// printBalancers prints what the replacement of load balancers means.
func printBalancers(w io.Writer, all []balancers.Target) {
	for _, target := range all {
		line := toBalancerLine(target)
		fmt.Fprintf(w, "\n%s  %s\n", console.SanitizeLine(target.Machine.Name), console.SanitizeLine(strings.TrimSpace(line.Group+" "+target.Machine.Type+" "+line.Address)))
		if target.Begun != nil {
			fmt.Fprintln(w, "  its replacement was begun, and is ended")
		}
		fmt.Fprintf(w, "  meanwhile, %s has both elastic IPs, and serves alone\n", console.SanitizeLine(strings.Join(target.Peers, ", ")))
	}
}

// balancerLine is a load balancer that is replaced, for programs.
type balancerLine struct {
	Type      string   `json:"type"` // loadBalancer
	Action    string   `json:"action"`
	Name      string   `json:"name"`
	Group     string   `json:"group"`
	MachineID string   `json:"machine_id"` // "": its machine is gone already
	Address   string   `json:"address"`
	Meanwhile []string `json:"meanwhile"` // which serve
}

func toBalancerLine(target balancers.Target) balancerLine {
	line := balancerLine{
		Type: "loadBalancer", Action: "replace", Name: target.Machine.Name, Group: state.FormatGroup(state.RoleLoadBalancer), Meanwhile: target.Peers,
	}
	if live := target.Live; live != nil {
		line.MachineID, line.Address = live.ID, live.Address
	}
	return line
}
