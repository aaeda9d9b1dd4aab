package nodeverbs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"exoshift/internal/console"
	"exoshift/internal/text"
	"exoshift/provisioner/install/machines"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

func orDash(foreign string) string { return cmp.Or(console.SanitizeLine(foreign), "-") }

// printNodes prints a table of nodes, as kubectl does; wide has more columns.
func printNodes(w io.Writer, all []nodes.Node, now time.Time, wide bool) error {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	header := "NAME\tSTATUS\tROLE\tGROUP\tTYPE\tADDRESS\tAGE\tVERSION"
	if wide {
		header += "\tDISK\tPOOL\tMACHINE"
	}
	fmt.Fprintln(table, header+"\tDIFFERS")
	for _, node := range all {
		line := toNodeLine(node)
		cells := []string{line.Name, formatNodeStatus(node), line.Role, line.Group, line.Type, line.Address, formatNodeAge(node, now), line.Version}
		if wide {
			disk := ""
			if line.Disk > 0 {
				disk = fmt.Sprintf("%d GiB", line.Disk)
			}
			cells = append(cells, disk, line.Pool, line.MachineID)
		}
		for i := range cells {
			cells[i] = orDash(cells[i])
		}
		fmt.Fprintf(table, "%s\t%s\n", strings.Join(cells, "\t"), orDash(strings.Join(line.Differs, "; ")))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	printPools(w, all)
	for _, node := range all {
		for _, finding := range node.Findings() {
			fmt.Fprintf(w, "%s: %s\n", console.SanitizeLine(node.Name), console.SanitizeLine(finding))
		}
	}
	return nil
}

// printPools prints which groups are instance pools, and between which counts each may be.
func printPools(w io.Writer, all []nodes.Node) {
	counts := map[state.Role]int{}
	for _, node := range all {
		if node.Answer != nil && node.Answer.Pool {
			counts[node.Role]++
		}
	}
	printed := map[state.Role]bool{}
	for _, node := range all {
		if counts[node.Role] == 0 || node.Answer == nil || printed[node.Role] {
			continue
		}
		printed[node.Role] = true
		bounds := cmp.Or(machines.FormatBounds(node.Answer.MachineSpec), "any number")
		fmt.Fprintf(w, "%s: an instance pool of %s, may have %s\n", console.SanitizeLine(state.FormatGroup(node.Role)), text.Plural(counts[node.Role], "machine"), bounds)
	}
}

func formatNodeStatus(node nodes.Node) string {
	status := "Missing"
	switch {
	case node.Balancer != nil && node.Machine != nil && node.Balancer.Failure == "":
		status = "Ready"
	case node.Balancer != nil && node.Machine != nil:
		status = "NotReady"
	case node.Node == nil:
	case node.Node.Ready:
		status = "Ready"
	default:
		status = "NotReady"
	}
	if node.Node != nil && node.Node.Cordoned {
		status += ",SchedulingDisabled"
	}
	return status
}

// formatNodeAge is that of the node, or else of its machine, in the units of kubectl.
func formatNodeAge(node nodes.Node, now time.Time) string {
	var since time.Time
	switch {
	case node.Node != nil:
		since = node.Node.Created
	case node.Machine != nil:
		since = node.Machine.Created
	}
	if since.IsZero() {
		return ""
	}
	switch age := max(0, now.Sub(since)); {
	case age < 2*time.Minute:
		return fmt.Sprintf("%ds", age/time.Second)
	case age < 3*time.Hour:
		return fmt.Sprintf("%dm", age/time.Minute)
	case age < 48*time.Hour:
		return fmt.Sprintf("%dh", age/time.Hour)
	default:
		return fmt.Sprintf("%dd", age/(24*time.Hour))
	}
}

// nodeLine is a node for programs.
type nodeLine struct {
	Name      string     `json:"name"`
	Role      string     `json:"role"`
	Group     string     `json:"group"`
	Type      string     `json:"type"`
	Ready     bool       `json:"ready"`
	Cordoned  bool       `json:"cordoned"`
	Address   string     `json:"address"`
	MachineID string     `json:"machine_id"`
	Differs   []string   `json:"differs"`
	Created   *time.Time `json:"created,omitempty"`
	Version   string     `json:"version,omitempty"`
	Pool      string     `json:"pool,omitempty"`
	Disk      int        `json:"disk_gib,omitempty"`
	Findings  []string   `json:"findings"`
	// InstancePool are the bounds of the instance pool that its machine is a member of; nil: of none.
	InstancePool *poolBounds `json:"instance_pool,omitempty"`
}

// poolBounds are the counts between which an instance pool may be; 0: no bound.
type poolBounds struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

func toNodeLine(node nodes.Node) nodeLine {
	line := nodeLine{
		Name: node.Name, Role: string(node.Role), Group: state.FormatGroup(node.Role), Pool: node.Pool(),
		Differs: append([]string{}, node.Differs()...), Findings: append([]string{}, node.Findings()...),
	}
	if answer := node.Answer; answer != nil && answer.Pool {
		line.InstancePool = &poolBounds{answer.Min, answer.Max}
	}
	if machine := node.Machine; machine != nil {
		line.Type, line.Address, line.MachineID, line.Disk = machine.Type, machine.Address, machine.ID, machine.DiskGiB
	}
	if node.Balancer != nil {
		line.Ready = node.Machine != nil && node.Balancer.Failure == ""
	}
	if member := node.Node; member != nil {
		line.Ready, line.Cordoned, line.Version = member.Ready, member.Cordoned, member.Version
		if member.Address != "" {
			line.Address = member.Address
		}
		if !member.Created.IsZero() {
			created := member.Created.UTC()
			line.Created = &created
		}
	}
	return line
}

// writeNodesJSON writes a line of JSON for each node.
func writeNodesJSON(w io.Writer, all []nodes.Node) error {
	encoder := json.NewEncoder(w)
	for _, node := range all {
		if err := encoder.Encode(toNodeLine(node)); err != nil {
			return err
		}
	}
	return nil
}
