package pane

import (
	"fmt"
	"strings"

	"exoshift/state"
)

// Architecture is a picture of the cluster that is being built: how the internet comes to it, and which machines it has
// for what.
type Architecture struct {
	Theme Theme
	Spec  state.Spec
	// Answered tells whether a screen of questions, e.g. "nodes", is answered: what it decides about is shown then. Nil
	// shows everything.
	Answered func(screen string) bool
	Rows     int // how many lines of the picture are shown, from the top; 0 for all
}

// View draws the most detailed picture that fits.
func (p Architecture) View(width, height int) string {
	return Fill(p.lines(width, height), width, height)
}

// Height returns how many lines the most detailed picture has that fits into height.
func (p Architecture) Height(width, height int) int {
	p.Rows = 0
	return len(p.lines(width, height))
}

// The least and the greatest width of a picture with boxes.
const (
	pictureLeast = 36
	pictureMost  = 100
)

func (p Architecture) lines(width, height int) []string {
	lines := p.best(min(width, pictureMost), height)
	if p.Rows > 0 && p.Rows < len(lines) {
		return lines[:p.Rows]
	}
	return lines
}

func (p Architecture) best(width, height int) []string {
	if !p.answered("access") && !p.answered("cluster") && !p.answered("nodes") {
		return wrapIn(p.Theme.Dim, "A picture of your cluster grows here as you answer.", " ", width)
	}
	for detail := rich; detail >= plain && width >= pictureLeast; detail-- {
		if lines := (picture{Architecture: p, width: width - 1 + width%2, detail: detail}).draw(); len(lines) <= height {
			return lines
		}
	}
	return p.tree(height)
}

func (p Architecture) answered(screen string) bool { return p.Answered == nil || p.Answered(screen) }

// detail is how much a picture says of each thing.
type detail int

const (
	plain  detail = iota // boxes with one line, and nothing beside them
	normal               // boxes with one line
	rich                 // boxes with two lines
)

// picture is one that is being drawn: two lanes, the left one for the API and the right one for the applications.
type picture struct {
	Architecture
	width  int
	detail detail
}

func (d picture) draw() []string {
	lines := d.outside()
	if d.answered("network") {
		lines = append(lines, d.addresses()...)
	}
	if d.answered("nodes") {
		lines = append(lines, d.machines()...)
	}
	if d.detail > plain {
		lines = append(lines, d.notes()...)
	}
	return lines
}

// outside is the internet, the border of the zone and the names.
func (d picture) outside() []string {
	t := d.Theme
	var lines []string
	if d.answered("cluster") {
		lines = append(lines, d.centred("the internet"), d.lane([]int{d.width / 2}))
	}
	zone := " Exoscale "
	if d.answered("access") && d.Spec.Exoscale.Zone != "" {
		zone = " Exoscale, zone " + Clean(d.Spec.Exoscale.Zone) + " "
	}
	lines = append(lines, t.Border.Render(strings.Repeat(t.horizontal, 2))+t.Label.Render(zone)+t.Rule(d.width-2-cells(zone)))
	if !d.answered("cluster") {
		return lines
	}
	if d.Spec.Cluster.ID == "" || d.Spec.Cluster.BaseDomain == "" {
		return lines
	}
	lines = append(lines, d.centred("DNS zone "+t.Bold.Render(Clean(d.Spec.Domain()))))
	if d.answered("nodes") || d.answered("network") {
		lines = append(lines, d.labelled(d.names()))
	}
	return lines
}

// names says which names lead down the two lanes.
func (d picture) names() (api, apps string) {
	api, apps = "api", "*.apps"
	if d.Spec.DNS.AppsDomain != "" {
		apps = "*." + Clean(d.Spec.DNS.AppsDomain)
	}
	if d.answered("network") && d.Spec.RoundRobin() {
		return api + " " + d.Theme.Arrow + " each master", apps + " " + d.Theme.Arrow + " each " + string(d.routers())
	}
	return api, apps
}

// addresses are the elastic IPs and the load balancers, which only one strategy has.
func (d picture) addresses() []string {
	if d.Spec.RoundRobin() {
		return nil
	}
	up, down := d.joints(), d.joints()
	if !d.answered("nodes") {
		down = nil
	}
	left, right := frame{title: "elastic IP"}, frame{title: "elastic IP"}
	if d.detail == rich {
		left.lines, right.lines = []string{"a fixed address"}, []string{"a fixed address"}
	}
	lines := d.pair(left, right, true, true)
	balancers := d.machineFrame(state.RoleLoadBalancer, "load balancer")
	balancers.up, balancers.down = up, down
	lines = append(lines, balancers.draw(d.Theme, d.width)...)
	if down != nil && d.detail == rich {
		lines = append(lines, d.labelled("port 6443", "ports 80, 443"))
	}
	return lines
}

// machines are boxes in two columns: the first row at the ends of the lanes.
func (d picture) machines() []string {
	routers := d.routers()
	boxes := []frame{d.machineFrame(state.RoleMaster, ""), d.machineFrame(routers, ""), d.machineFrame(state.RoleBootstrap, "")}
	for _, role := range d.Spec.ComputeRoles() {
		if role != routers && d.Spec.Group(role).Count > 0 {
			boxes = append(boxes, d.machineFrame(role, ""))
		}
	}
	lines := d.pair(boxes[0], boxes[1], d.answered("cluster"), false)
	for i := 2; i < len(boxes); i += 2 {
		if i+1 < len(boxes) {
			lines = append(lines, d.pair(boxes[i], boxes[i+1], false, false)...)
		} else {
			lines = append(lines, boxes[i].draw(d.Theme, d.half())...)
		}
	}
	return lines
}

// routers is the role whose machines carry the routers.
func (p Architecture) routers() state.Role {
	if p.Spec.Group(state.RoleInfra).Count > 0 {
		return state.RoleInfra
	}
	return state.RoleWorker
}

func (d picture) machineFrame(role state.Role, name string) frame {
	group := d.Spec.Group(role)
	f := frame{title: fmt.Sprintf("%d %s %s", group.Count, d.Theme.Times, Clean(string(role)))}
	if name != "" {
		f.title = fmt.Sprintf("%d %s %s", group.Count, d.Theme.Times, name)
	}
	f.lines = []string{d.purpose(role)}
	if role == state.RoleBootstrap {
		f.title, f.dim = string(role), true
	}
	if group.Count == 0 {
		return f
	}
	kind := sizeOf(group)
	if d.detail == rich {
		if cells(kind) > d.half()-4 {
			kind = Clean(group.Type)
		}
		f.lines = append(f.lines, kind)
	} else {
		f.note = kind
	}
	return f
}

// sizeOf says how large a machine is.
func sizeOf(machine state.MachineSpec) string {
	disk := fmt.Sprintf("%d GiB", machine.RootDisk)
	if machine.DataDisk > 0 {
		disk = fmt.Sprintf("%d+%d GiB", machine.RootDisk, machine.DataDisk)
	}
	return Clean(machine.Type) + ", " + disk
}

// purpose says what the machines of a role are for.
func (p Architecture) purpose(role state.Role) string {
	routers := role == p.routers()
	switch role {
	case state.RoleLoadBalancer:
		return "HAProxy; traffic goes to the healthy ones"
	case state.RoleMaster:
		return "API and database (etcd)"
	case state.RoleBootstrap:
		return "only for the first hour"
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
	return "applications of their own"
}

// notes are what has no place in the lanes.
func (d picture) notes() []string {
	var lines []string
	for _, note := range d.remarks() {
		lines = append(lines, wrapAfter(" "+d.Theme.Label.Render(note[0])+" ", d.Theme.Plain, note[1], "   ", d.width)...)
	}
	return lines
}

// staying counts the machines that stay.
func (p Architecture) staying() int {
	n := 0
	for _, role := range append([]state.Role{state.RoleLoadBalancer, state.RoleMaster}, p.Spec.ComputeRoles()...) {
		n += p.Spec.Group(role).Count
	}
	return n
}

// remarks are the networks, the buckets, Project Syn and the number of machines, each with a name.
func (p Architecture) remarks() [][2]string {
	var remarks [][2]string
	spec := p.Spec
	if p.answered("network") {
		remarks = append(remarks, [2]string{"networks", "nodes " + Clean(spec.Network.NodeCIDR) + ", pods " + Clean(spec.Network.PodCIDR) +
			", services " + Clean(spec.Network.ServiceCIDR)})
	}
	if p.answered("cluster") {
		remarks = append(remarks, [2]string{"buckets", "logs, images, backups"})
	}
	if p.answered("syn") && spec.Syn.LieutenantURL != "" {
		remarks = append(remarks, [2]string{"Project Syn", Clean(spec.Syn.LieutenantURL) + because(Clean(spec.Syn.Tenant), ", tenant ", "") +
			because(Clean(spec.Syn.VaultAddress), ", Vault ", "") + because(Clean(spec.Syn.CatalogDir), ", catalog ", "")})
	}
	if p.answered("nodes") {
		remarks = append(remarks, [2]string{"machines", fmt.Sprintf("%d, and the bootstrap machine for about an hour", p.staying())})
	}
	return remarks
}
