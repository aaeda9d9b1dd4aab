package cluster

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/components"
	"exoshift/tui/theme"
)

// Records lists the parts of a cluster with everything that is known about each.
type Records struct {
	Board   *provisioner.Board
	Summary NodeSummary
	Now     time.Time
	History func(match func(provisioner.Event) bool) string // the events about a part, one a line
}

func (p Records) formatAge(since time.Time) string {
	return since.Format("15:04:05") + ", " + text.FormatDuration(p.Now.Sub(since)) + " ago"
}

func (p Records) listHistory(kind provisioner.Type, name string) string {
	return p.History(func(e provisioner.Event) bool { return e.Type == kind && e.Name == name })
}

// ListNodes lists the nodes, those that need attention first, the ones that are expected, and the requests for certificates.
func (p Records) ListNodes() []components.Record {
	records := make([]components.Record, 0, len(p.Summary.nodes)+len(p.Summary.missing)+len(p.Board.CSRs))
	for _, node := range p.Summary.nodes {
		records = append(records, components.Record{
			ID: "node/" + node.Name, Status: MapNodeStatus(node), Name: node.Name,
			Note: node.State + text.WithAffixes(describeReason(node), " (", ")"), Fields: func() []components.Field { return p.describeNode(node) },
		})
	}
	for _, name := range p.Summary.missing {
		records = append(records, components.Record{ID: "node/" + name, Name: name, Note: "not seen yet"})
	}
	for _, csr := range p.Board.CSRs {
		records = append(records, p.newRequest(csr))
	}
	return records
}

func (p Records) describeNode(node provisioner.NodeView) []components.Field {
	var requests []string
	for _, csr := range p.Board.CSRs {
		if csr.Node == node.Name {
			requests = append(requests, csr.Name+" "+csr.Decision+text.WithAffixes(csr.Reason, " (", ")"))
		}
	}
	return components.NewFields(
		"Role", node.Role, "State", node.State, "Since", p.formatAge(node.At), "Reason", node.Reason, "Instance", node.Machine,
		"Client CSR", node.Client, "Serving CSR", node.Serving, "Requests", strings.Join(requests, "\n"),
		"Events", p.listHistory(provisioner.TypeNode, node.Name),
	)
}

func (p Records) newRequest(csr provisioner.CSRView) components.Record {
	status := theme.Warn
	if csr.Decision == state.Approved {
		status = theme.OK
	}
	return components.Record{
		ID: "csr/" + csr.Name, Status: status, Name: "CSR " + csr.Name, Note: csr.Decision + text.WithAffixes(csr.Node, " for ", ""),
		Fields: func() []components.Field {
			return components.NewFields("Decision", csr.Decision, "Node", csr.Node, "Reason", csr.Reason, "Events", p.listHistory(provisioner.TypeCSR, csr.Name))
		},
	}
}

// ListMembers lists the members of etcd, and the history of their number.
func (p Records) ListMembers() []components.Record {
	var records []components.Record
	for _, member := range p.Board.Etcd {
		revision := ""
		if member.Revision > 0 {
			revision = fmt.Sprint(member.Revision)
		}
		records = append(records, components.Record{
			ID: "member/" + member.Name, Status: mapMemberStatus(member), Name: member.Name, Note: member.State,
			Fields: func() []components.Field {
				return components.NewFields("State", member.State, "Revision", revision, "Bootstrap", p.Board.EtcdHeld, "Events", p.History(func(e provisioner.Event) bool {
					return e.Type == provisioner.TypeEtcd
				}))
			},
		})
	}
	return records
}

// ListBootstrap lists the phases of the bootstrap, the services of the bootstrap machine, and the connections to the cluster.
func (p Records) ListBootstrap() []components.Record {
	var records []components.Record
	for _, ph := range (Bootstrap{Board: p.Board, Now: p.Now}).listPhases() {
		records = append(records, p.newPhase(ph))
	}
	for _, service := range p.Board.Stages {
		records = append(records, components.Record{
			ID: "service/" + service.Service, Status: mapServiceStatus(service), Name: service.Service,
			Note: service.State + text.WithAffixes(service.Stage, " ", "") + text.WithAffixes(service.Reason, ": ", ""),
			Fields: func() []components.Field {
				return components.NewFields(
					"State", service.State, "Stage", service.Stage, "Since", p.formatAge(service.At), "Reason", service.Reason,
					"Finished", strings.Join(service.Finished, "\n"), "Events", p.listHistory(provisioner.TypeStage, service.Service),
				)
			},
		})
	}
	for _, probe := range p.Board.Probes {
		records = append(records, p.newProbe(probe))
	}
	return records
}

func (p Records) newPhase(ph phase) components.Record {
	return components.Record{
		ID: "phase/" + ph.name, Status: ph.status, Name: ph.name, Note: phaseTexts[ph.name],
		Fields: func() []components.Field {
			reached, took := "", ""
			if !ph.seen.At.IsZero() {
				reached = p.formatAge(ph.seen.At)
			}
			if ph.took > 0 {
				took = text.FormatDuration(ph.took)
			}
			return components.NewFields("Meaning", phaseTexts[ph.name], "Reached", reached, "Took", took, "Seen", ph.seen.Text)
		},
	}
}

func (p Records) newProbe(probe provisioner.Event) components.Record {
	status := theme.OK
	if probe.State == provisioner.Unreachable {
		status = theme.Warn
	}
	return components.Record{
		ID: "access/" + probe.Name, Status: status, Name: "access " + probe.Name, Note: probe.State + text.WithAffixes(probe.Reason, ": ", ""),
		Fields: func() []components.Field {
			return components.NewFields(
				"State", probe.State, "Reason", probe.Reason, "Verdict", Access{Board: p.Board}.DescribeVerdict(), "Since", p.formatAge(probe.StartTime()),
				"Events", p.listHistory(provisioner.TypeProbe, probe.Name),
			)
		},
	}
}

// ListOperators lists the version and the cluster operators, those that need attention first.
func (p Records) ListOperators() []components.Record {
	var records []components.Record
	if v := p.Board.Version; v.Type != "" {
		percent := ""
		if v.Percent != nil {
			percent = fmt.Sprintf("%d%%", *v.Percent)
		}
		records = append(records, components.Record{
			ID: "version", Status: MapVersionStatus(v), Name: "version", Note: strings.TrimSpace(v.State + " " + percent),
			Fields: func() []components.Field {
				return components.NewFields("State", v.State, "Progress", percent, "Message", v.Text)
			},
		})
	}
	for _, operator := range (Operators{Operators: p.Board.Operators}).sortByStatus() {
		records = append(records, p.newObserved("operator/", operator, MapOperatorStatus(operator), operator.State))
	}
	return records
}

// ListApplications lists the applications of the catalog, those that need attention first.
func (p Records) ListApplications() []components.Record {
	var records []components.Record
	for _, application := range (Applications{Applications: p.Board.Applications}).sortByStatus() {
		records = append(records, p.newObserved("application/", application, MapApplicationStatus(application), describeApplication(application)))
	}
	return records
}

func (p Records) newObserved(prefix string, e provisioner.Event, status theme.Status, note string) components.Record {
	return components.Record{
		ID: prefix + e.Name, Status: status, Name: e.Name, Note: cmp.Or(note, e.State) + text.WithAffixes(e.Reason, ": ", ""),
		Fields: func() []components.Field {
			return components.NewFields(
				"State", e.State, "Sync", e.Sync, "Since", p.formatAge(e.StartTime()), "Reason", e.Reason, "Message", e.Text,
				"Events", p.listHistory(e.Type, e.Name),
			)
		},
	}
}
