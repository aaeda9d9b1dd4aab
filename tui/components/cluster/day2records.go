package cluster

import (
	"fmt"
	"strings"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/tui/components"
)

// ListDay2 lists the nodes in question, the machine config pools, and the storage.
func (p Records) ListDay2() []components.Record {
	var records []components.Record
	for _, target := range (Day2{Board: p.Board}).sortTargets() {
		records = append(records, components.Record{
			ID: "target/" + target.Name, Status: MapTargetStatus(target), Name: target.Name, Note: target.Text,
			Fields: func() []components.Field {
				return components.NewFields("State", target.Text, "Role", target.Role, "Replaced by", target.Node, "Since", p.formatAge(target.Time),
					"Held", strings.Join(target.Evidence, "\n"), "Events", p.listHistory(provisioner.TypeTarget, target.Name))
			},
		})
	}
	for _, pool := range p.Board.Pools {
		records = append(records, components.Record{
			ID: "pool/" + pool.Name, Status: MapPoolStatus(pool), Name: "pool " + pool.Name, Note: pool.Text + text.WithAffixes(pool.Reason, ": ", ""),
			Fields: func() []components.Field {
				return components.NewFields("State", pool.State, "Machines", pool.Text, "Reason", pool.Reason, "Since", p.formatAge(pool.Time),
					"Events", p.listHistory(provisioner.TypePool, pool.Name))
			},
		})
	}
	if event := p.Board.Ceph; event != nil && event.Ceph != nil {
		ceph := event.Ceph
		records = append(records, components.Record{
			ID: "ceph", Status: MapCephStatus(*event), Name: "Ceph", Note: event.State,
			Fields: func() []components.Field {
				return components.NewFields("Health", event.State, "Checks", strings.Join(ceph.Checks, "\n"), "OSDs", fmt.Sprintf("%d, %d up, %d in", ceph.OSDs, ceph.OSDsUp, ceph.OSDsIn),
					"Placement groups", fmt.Sprintf("%d of %d clean", ceph.GroupsClean, ceph.Groups), "Used", fmt.Sprintf("%d%%", ceph.UsedPercent),
					"Events", p.History(func(e provisioner.Event) bool { return e.Type == provisioner.TypeCeph }))
			},
		})
	}
	return records
}
