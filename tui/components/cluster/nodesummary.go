package cluster

import (
	"cmp"
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/theme"
)

// NodeSummary aggregates the nodes of a cluster. It is computed once for each change, so that drawing a frame of a thousand nodes
// reads only those that are visible.
type NodeSummary struct {
	nodes     []provisioner.NodeView // those in trouble first, then those that change, then the rest
	open      int                    // number of nodes in trouble or changing
	ready     int
	missing   []string // expected nodes that have not joined yet
	expected  int
	roles     []roleCount
	approved  map[string]int // requests by node
	granted   int            // requests in all
	undecided []provisioner.CSRView
}

type roleCount struct {
	role                  string
	ready, seen, expected int
}

// CountNodes summarizes nodes and requests. expected are the machines that are to become nodes; there may be none.
func CountNodes(nodes []provisioner.NodeView, requests []provisioner.CSRView, expected []state.Machine) NodeSummary {
	c := NodeSummary{expected: len(expected), approved: make(map[string]int, len(nodes))}
	c.countRequests(requests)
	var byUrgency [theme.Skipped + 1][]provisioner.NodeView
	roles := map[string]int{}
	planned := make(map[string]string, len(expected))
	for _, machine := range expected {
		planned[machine.Name] = string(machine.Role)
		c.ensureRole(roles, string(machine.Role)).expected++
	}
	for _, node := range nodes {
		status := MapNodeStatus(node)
		byUrgency[status.Urgency()] = append(byUrgency[status.Urgency()], node)
		count := c.ensureRole(roles, cmp.Or(node.Role, planned[node.Name]))
		if count.seen++; status == theme.OK {
			count.ready++
			c.ready++
		}
		delete(planned, node.Name)
	}
	for _, some := range byUrgency {
		c.nodes = append(c.nodes, some...)
	}
	c.open = len(nodes) - c.ready
	c.countMissing(expected, planned)
	return c
}

func (c *NodeSummary) ensureRole(places map[string]int, role string) *roleCount {
	i, known := places[role]
	if !known {
		i = len(c.roles)
		places[role], c.roles = i, append(c.roles, roleCount{role: role})
	}
	return &c.roles[i]
}

func (c *NodeSummary) countRequests(requests []provisioner.CSRView) {
	for _, request := range requests {
		if request.Decision != state.Approved {
			c.undecided = append(c.undecided, request)
			continue
		}
		c.approved[request.Node]++
		c.granted++
	}
}

func (c *NodeSummary) countMissing(expected []state.Machine, unseen map[string]string) {
	for _, machine := range expected {
		if _, missing := unseen[machine.Name]; missing {
			c.missing = append(c.missing, machine.Name)
		}
	}
}

// countTotal includes the expected nodes that are missing.
func (c NodeSummary) countTotal() int { return max(c.expected, len(c.nodes)) }

// filter returns the nodes, also missing ones, that mention a word.
func (c NodeSummary) filter(word string) NodeSummary {
	if word == "" {
		return c
	}
	found := c
	found.nodes, found.missing, found.open = nil, nil, 0
	for _, node := range c.nodes {
		if !ContainsWord(word, node.Name, node.Role, node.State, node.Reason, node.Machine) {
			continue
		}
		if found.nodes = append(found.nodes, node); MapNodeStatus(node) != theme.OK {
			found.open++
		}
	}
	for _, name := range c.missing {
		if ContainsWord(word, name) {
			found.missing = append(found.missing, name)
		}
	}
	return found
}

// ContainsWord ignores case.
func ContainsWord(word string, texts ...string) bool {
	word = strings.ToLower(word)
	for _, text := range texts {
		if strings.Contains(strings.ToLower(text), word) {
			return true
		}
	}
	return false
}

// MapNodeStatus maps the states of a node; an unknown state counts as changing.
func MapNodeStatus(node provisioner.NodeView) theme.Status {
	switch strings.ToLower(node.State) {
	case "ready":
		return theme.OK
	case "notready", "not ready", "not-ready", "unknown":
		return theme.Warn
	case "failed", "missing", "gone", "lost":
		return theme.Failed
	case "waiting", "":
		return theme.Waiting
	}
	return theme.Running
}
