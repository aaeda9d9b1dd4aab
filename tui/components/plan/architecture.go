package plan

import (
	"fmt"
	"strings"

	"exoshift/internal/text"
	"exoshift/state"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// Architecture is a picture of the cluster: the connections from the internet, and the machines with their purposes.
type Architecture struct {
	Theme theme.Theme
	Spec  state.Spec
	// Answered reports whether a screen of questions, e.g. "nodes", is answered: only then its part is shown. Nil shows
	// everything.
	Answered func(screen string) bool
	Rows     int // number of lines shown from the top; 0 for all
}

// View draws the most detailed picture that fits.
func (p Architecture) View(width, height int) string {
	return cells.Fill(p.renderLines(width, height), width, height)
}

// height returns the number of lines of the most detailed picture that fits into height.
func (p Architecture) height(width, height int) int {
	p.Rows = 0
	return len(p.renderLines(width, height))
}

// The least and the greatest width of a picture with boxes.
const (
	pictureMinWidth = 36
	pictureMaxWidth = 100
)

func (p Architecture) renderLines(width, height int) []string {
	lines := p.renderBest(min(width, pictureMaxWidth), height)
	if p.Rows > 0 && p.Rows < len(lines) {
		return lines[:p.Rows]
	}
	return lines
}

func (p Architecture) renderBest(width, height int) []string {
	if !p.isAnswered("access") && !p.isAnswered("cluster") && !p.isAnswered("nodes") {
		return cells.WrapStyled(p.Theme.Dim, "A diagram of your cluster appears here as you answer.", " ", width)
	}
	for detail := rich; detail >= plain && width >= pictureMinWidth; detail-- {
		if lines := (picture{Architecture: p, width: width - 1 + width%2, detail: detail}).render(); len(lines) <= height {
			return lines
		}
	}
	return p.renderTree(height)
}

func (p Architecture) isAnswered(screen string) bool { return p.Answered == nil || p.Answered(screen) }

type detail int

const (
	plain  detail = iota // boxes with one line, and nothing beside them
	normal               // boxes with one line
	rich                 // boxes with two lines
)

// picture has two lanes, the left one for the API and the right one for the applications.
type picture struct {
	Architecture
	width  int
	detail detail
}

func (d picture) render() []string {
	lines := d.renderZone()
	if d.isAnswered("network") {
		lines = append(lines, d.renderAddresses()...)
	}
	if d.isAnswered("nodes") {
		lines = append(lines, d.renderMachines()...)
	}
	if d.detail > plain {
		lines = append(lines, d.renderNotes()...)
	}
	return lines
}

// renderZone draws the internet, the border of the zone and the DNS names.
func (d picture) renderZone() []string {
	t := d.Theme
	var lines []string
	if d.isAnswered("cluster") {
		lines = append(lines, d.padCenter("the internet"), d.renderLanes([]int{d.width / 2}))
	}
	zone := " Exoscale "
	if d.isAnswered("access") && d.Spec.Exoscale.Zone != "" {
		zone = " Exoscale, zone " + cells.Sanitize(d.Spec.Exoscale.Zone) + " "
	}
	lines = append(lines, t.Border.Render(strings.Repeat(t.Horizontal, 2))+t.Label.Render(zone)+t.RenderRule(d.width-2-cells.Count(zone)))
	if !d.isAnswered("cluster") {
		return lines
	}
	if d.Spec.Cluster.ID == "" || d.Spec.Cluster.BaseDomain == "" {
		return lines
	}
	lines = append(lines, d.padCenter("DNS zone "+t.Bold.Render(cells.Sanitize(d.Spec.Domain()))))
	if d.isAnswered("nodes") || d.isAnswered("network") {
		lines = append(lines, d.renderLabels(d.formatNames()))
	}
	return lines
}

func (d picture) formatNames() (api, apps string) {
	api, apps = "api", "*.apps"
	if d.Spec.DNS.AppsDomain != "" {
		apps = "*." + cells.Sanitize(d.Spec.DNS.AppsDomain)
	}
	if d.isAnswered("network") && d.Spec.IsRoundRobin() {
		return api + " " + d.Theme.Arrow + " each master", apps + " " + d.Theme.Arrow + " each " + string(d.findRouterRole())
	}
	return api, apps
}

// renderAddresses draws the elastic IPs and the load balancers, which only one strategy has.
func (d picture) renderAddresses() []string {
	if d.Spec.IsRoundRobin() {
		return nil
	}
	up, down := d.joints(), d.joints()
	if !d.isAnswered("nodes") {
		down = nil
	}
	left, right := frame{title: "elastic IP"}, frame{title: "elastic IP"}
	if d.detail == rich {
		left.lines, right.lines = []string{"a fixed address"}, []string{"a fixed address"}
	}
	lines := d.renderPair(left, right, true, true)
	balancers := d.newMachineFrame(state.RoleLoadBalancer, "load balancer")
	balancers.up, balancers.down = up, down
	lines = append(lines, balancers.render(d.Theme, d.width)...)
	if down != nil && d.detail == rich {
		lines = append(lines, d.renderLabels("port 6443", "ports 80, 443"))
	}
	return lines
}

// renderMachines draws boxes in two columns: the first row at the ends of the lanes.
func (d picture) renderMachines() []string {
	routers := d.findRouterRole()
	boxes := []frame{d.newMachineFrame(state.RoleMaster, ""), d.newMachineFrame(routers, ""), d.newMachineFrame(state.RoleBootstrap, "")}
	for _, role := range d.Spec.ComputeRoles() {
		if role != routers && d.Spec.Group(role).Count > 0 {
			boxes = append(boxes, d.newMachineFrame(role, ""))
		}
	}
	lines := d.renderPair(boxes[0], boxes[1], d.isAnswered("cluster"), false)
	for i := 2; i < len(boxes); i += 2 {
		if i+1 < len(boxes) {
			lines = append(lines, d.renderPair(boxes[i], boxes[i+1], false, false)...)
		} else {
			lines = append(lines, boxes[i].render(d.Theme, d.half())...)
		}
	}
	return lines
}

func (p Architecture) findRouterRole() state.Role {
	if p.Spec.Group(state.RoleInfra).Count > 0 {
		return state.RoleInfra
	}
	return state.RoleWorker
}

func (d picture) newMachineFrame(role state.Role, name string) frame {
	group := d.Spec.Group(role)
	f := frame{title: fmt.Sprintf("%d %s %s", group.Count, d.Theme.Times, cells.Sanitize(string(role)))}
	if name != "" {
		f.title = fmt.Sprintf("%d %s %s", group.Count, d.Theme.Times, name)
	}
	f.lines = []string{d.describeRole(role)}
	if role == state.RoleBootstrap {
		f.title, f.dim = string(role), true
	}
	if group.Count == 0 {
		return f
	}
	kind := formatMachineSize(group)
	if d.detail == rich {
		if cells.Count(kind) > d.half()-4 {
			kind = cells.Sanitize(group.Type)
		}
		f.lines = append(f.lines, kind)
	} else {
		f.note = kind
	}
	return f
}

func formatMachineSize(machine state.MachineSpec) string {
	disk := fmt.Sprintf("%d GiB", machine.RootDisk)
	if machine.DataDisk > 0 {
		disk = fmt.Sprintf("%d+%d GiB", machine.RootDisk, machine.DataDisk)
	}
	return cells.Sanitize(machine.Type) + ", " + disk
}

func (p Architecture) describeRole(role state.Role) string {
	routers := role == p.findRouterRole()
	switch role {
	case state.RoleLoadBalancer:
		return "HAProxy; traffic goes to the healthy ones"
	case state.RoleMaster:
		return "API and database (etcd)"
	case state.RoleBootstrap:
		return "for about one hour"
	case state.RoleInfra:
		return "routers, monitoring"
	case state.RoleStorage:
		return "disks for volumes"
	case state.RoleWorker:
		if routers {
			return "routers and applications"
		}
		return "applications"
	}
	return "dedicated applications"
}

// renderNotes lists what has no place in the lanes.
func (d picture) renderNotes() []string {
	var lines []string
	for _, note := range d.listNotes() {
		lines = append(lines, cells.WrapAfter(" "+d.Theme.Label.Render(note[0])+" ", d.Theme.Plain, note[1], "   ", d.width)...)
	}
	return lines
}

// countMachines omits the temporary bootstrap machine.
func (p Architecture) countMachines() int {
	n := 0
	for _, role := range append([]state.Role{state.RoleLoadBalancer, state.RoleMaster}, p.Spec.ComputeRoles()...) {
		n += p.Spec.Group(role).Count
	}
	return n
}

func (p Architecture) listNotes() [][2]string {
	var remarks [][2]string
	spec := p.Spec
	if p.isAnswered("network") {
		remarks = append(remarks, [2]string{"networks", "nodes " + cells.Sanitize(spec.Network.NodeCIDR) + ", pods " + cells.Sanitize(spec.Network.PodCIDR) +
			", services " + cells.Sanitize(spec.Network.ServiceCIDR)})
	}
	if p.isAnswered("cluster") {
		remarks = append(remarks, [2]string{"buckets", "logs, images, backups"})
	}
	if p.isAnswered("syn") && spec.Syn.LieutenantURL != "" {
		remarks = append(remarks, [2]string{"Project Syn", cells.Sanitize(spec.Syn.LieutenantURL) + text.WithAffixes(cells.Sanitize(spec.Syn.Tenant), ", tenant ", "") +
			text.WithAffixes(cells.Sanitize(spec.Syn.VaultAddress), ", Vault ", "") + text.WithAffixes(cells.Sanitize(spec.Syn.CatalogDir), ", catalog ", "")})
	}
	if p.isAnswered("nodes") {
		remarks = append(remarks, [2]string{"machines", fmt.Sprintf("%d, plus the bootstrap machine for about an hour", p.countMachines())})
	}
	return remarks
}
