package dashboard

import (
	"exoshift/tui/components"
)

// mode is the level of detail that fits on a screen.
type mode int

// The modes, from the smallest screen to the largest.
const (
	plain   mode = iota // stacked lines: the status only
	compact             // one pane at a time
	medium              // a main pane, and the cluster beside it
	wide                // everything
)

// layout holds the position of every part of the dashboard.
type layout struct {
	Mode                       mode
	Title, Strip, Status, Keys components.Rect
	Tabs                       components.Rect // empty: the panes are in the line of the keys
	Rules                      []components.Rect
	Between                    components.Rect // layoutOptions.Between lines between Status and Body
	Body                       components.Rect // all of what follows; overlays go here
	Main, Log, Journal         components.Rect
	Overview                   components.Rect // beside Main, where there is no room for its parts
	Bootstrap, Etcd            components.Rect
	Nodes, Operators, Cloud    components.Rect
}

const (
	bootstrapHeight    = 24 // sixteen phases, six lines of services, and a frame
	minBootstrapHeight = 8
	etcdHeight         = 8 // the counts, four members, a sentence, and a frame
	minNodesHeight     = 9
	operatorsHeight    = 14
	minCloudHeight     = 8
	minWideBody        = 22 // the least that a wide screen needs below its header
)

// layoutOptions holds what can be chosen in a layout or depends on the run.
type layoutOptions struct {
	Single  bool // one pane at a time, whatever the size
	Journal bool // there are lines of a journal to show
	Between int  // lines between Status and Body
}

// newLayout divides a screen.
func newLayout(width, height int, o layoutOptions) layout {
	if width < components.MinWidth || height < components.MinHeight {
		return layout{Mode: plain, Body: components.Rect{W: max(width, 0), H: max(height, 0)}}
	}
	l := newEdgeLayout(width, height)
	l.Between, l.Body = l.Body.SplitTop(o.Between)
	switch {
	case o.Single || width < components.MediumWidth:
		l.applyCompact()
	case width < components.WideWidth || height < components.WideHeight || l.Body.H < minWideBody:
		l.applyMedium()
	default:
		l.applyWide(o.Journal)
	}
	return l
}

// newEdgeLayout places the header and footer of all modes larger than Plain.
func newEdgeLayout(width, height int) layout {
	present := 2
	switch {
	case height >= components.WideHeight:
		present = 4
	case height >= 24:
		present = 3
	}
	l := layout{
		Title:  components.Rect{X: 0, Y: 0, W: width, H: 1},
		Strip:  components.Rect{X: 0, Y: 1, W: width, H: 1},
		Status: components.Rect{X: 0, Y: 3, W: width, H: present},
		Keys:   components.Rect{X: 0, Y: height - 1, W: width, H: 1},
		Rules:  []components.Rect{{Y: 2, W: width, H: 1}},
	}
	top := 3 + present
	l.Body = components.Rect{X: 0, Y: top, W: width, H: height - 1 - top}
	return l
}

// applyCompact puts rules between the parts, the last of which has the panes; the log is dropped first where there is little room.
func (l *layout) applyCompact() {
	l.Mode = compact
	b := l.Body
	l.Rules = append(l.Rules, components.Rect{X: 0, Y: b.Y, W: b.W, H: 1})
	l.Tabs = components.Rect{X: 0, Y: b.Y + b.H - 1, W: b.W, H: 1}
	b.Y, b.H = b.Y+1, b.H-2
	l.Body, l.Main = b, b
	if log := min(b.H-10, 12); log >= 3 {
		l.Main.H = b.H - log - 1
		l.Rules = append(l.Rules, components.Rect{X: 0, Y: b.Y + l.Main.H, W: b.W, H: 1})
		l.Log = components.Rect{X: 0, Y: b.Y + l.Main.H + 1, W: b.W, H: log}
	}
}

// applyMedium has the selected pane at the left, the log below it, and the cluster at the right.
func (l *layout) applyMedium() {
	l.Mode = medium
	b := l.Body
	left := b.W * 54 / 100
	l.Main = components.Rect{X: b.X, Y: b.Y, W: left, H: b.H}
	if log := b.H / 3; log >= 6 {
		l.Main.H = b.H - log
		l.Log = components.Rect{X: b.X, Y: b.Y + l.Main.H, W: left, H: log}
	}
	side := components.Rect{X: b.X + left, Y: b.Y, W: b.W - left, H: b.H}
	if side.H < minBootstrapHeight+etcdHeight+minNodesHeight {
		l.Overview = side
		return
	}
	l.Bootstrap, side = side.SplitTop(min(bootstrapHeight, side.H-etcdHeight-minNodesHeight))
	l.Etcd, l.Nodes = side.SplitTop(etcdHeight)
}

// applyWide has the steps at the left, bootstrap and etcd in the middle, nodes and operators at the right, and log and journal
// below.
func (l *layout) applyWide(journal bool) {
	l.Mode = wide
	above, below := l.Body.SplitTop(l.Body.H - max(l.Body.H/4, 8))
	column := l.Body.W * 30 / 100
	main, rest := above.SplitLeft(column)
	middle, right := rest.SplitLeft(column)
	l.Main = main
	l.Bootstrap, l.Etcd = middle.SplitTop(min(bootstrapHeight, middle.H-etcdHeight))
	l.Nodes, l.Operators = right.SplitTop(right.H - min(operatorsHeight, right.H*4/10))
	l.Log, l.Cloud = below.SplitLeft(2 * column)
	if journal {
		l.Log, l.Journal = l.Log.SplitLeft(column)
	}
	if free := l.Etcd.H - etcdHeight; free >= minCloudHeight {
		l.Etcd, l.Cloud = l.Etcd.SplitTop(etcdHeight)
		l.Log, l.Journal = below, components.Rect{}
		if journal {
			l.Log, l.Journal = below.SplitLeft(below.W / 2)
		}
	}
}
