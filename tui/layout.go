package tui

// Rect is a part of the screen in cells; a rect without area is not drawn.
type Rect struct{ X, Y, W, H int }

func (r Rect) isEmpty() bool { return r.W <= 0 || r.H <= 0 }

// Mode is the level of detail that fits on a screen.
type Mode int

// The modes, from the smallest screen to the largest.
const (
	Plain   Mode = iota // stacked lines: the status only
	Compact             // one pane at a time
	Medium              // a main pane, and the cluster beside it
	Wide                // everything
)

// Layout holds the position of every part of the dashboard.
type Layout struct {
	Mode                       Mode
	Title, Strip, Status, Keys Rect
	Rules                      []Rect
	Between                    Rect // LayoutOptions.Between lines between Status and Body
	Body                       Rect // all of what follows; overlays go here
	Main, Log, Journal         Rect
	Overview                   Rect // beside Main, where there is no room for its parts
	Bootstrap, Etcd            Rect
	Nodes, Operators, Cloud    Rect
}

const (
	plainWidth, plainHeight = 60, 18
	mediumWidth             = 100
	wideWidth, wideHeight   = 140, 40
)

const (
	bootstrapHeight    = 24 // sixteen phases, six lines of services, and a frame
	minBootstrapHeight = 8
	etcdHeight         = 8 // the counts, four members, a sentence, and a frame
	minNodesHeight     = 9
	operatorsHeight    = 14
	minCloudHeight     = 8
	minWideBody        = 22 // the least that a wide screen needs below its header
)

// LayoutOptions holds what can be chosen in a layout or depends on the run.
type LayoutOptions struct {
	Single  bool // one pane at a time, whatever the size
	Journal bool // there are lines of a journal to show
	Between int  // lines between Status and Body
}

// NewLayout divides a screen.
func NewLayout(width, height int, wish LayoutOptions) Layout {
	if width < plainWidth || height < plainHeight {
		return Layout{Mode: Plain, Body: Rect{W: max(width, 0), H: max(height, 0)}}
	}
	l := newEdgeLayout(width, height)
	l.Between, l.Body = l.Body.splitTop(wish.Between)
	switch {
	case wish.Single || width < mediumWidth:
		l.applyCompact()
	case width < wideWidth || height < wideHeight || l.Body.H < minWideBody:
		l.applyMedium()
	default:
		l.applyWide(wish.Journal)
	}
	return l
}

// newEdgeLayout places the header and footer of all modes larger than Plain.
func newEdgeLayout(width, height int) Layout {
	present := 2
	switch {
	case height >= wideHeight:
		present = 4
	case height >= 24:
		present = 3
	}
	l := Layout{
		Title:  Rect{0, 0, width, 1},
		Strip:  Rect{0, 1, width, 1},
		Status: Rect{0, 3, width, present},
		Keys:   Rect{0, height - 1, width, 1},
		Rules:  []Rect{{0, 2, width, 1}},
	}
	top := 3 + present
	l.Body = Rect{0, top, width, height - 1 - top}
	return l
}

// applyCompact puts rules between the parts; the log is dropped first where there is little room.
func (l *Layout) applyCompact() {
	l.Mode = Compact
	b := l.Body
	l.Rules = append(l.Rules, Rect{0, b.Y, b.W, 1}, Rect{0, b.Y + b.H - 1, b.W, 1})
	b.Y, b.H = b.Y+1, b.H-2
	l.Body, l.Main = b, b
	if log := min(b.H-10, 12); log >= 3 {
		l.Main.H = b.H - log - 1
		l.Rules = append(l.Rules, Rect{0, b.Y + l.Main.H, b.W, 1})
		l.Log = Rect{0, b.Y + l.Main.H + 1, b.W, log}
	}
}

// applyMedium has the selected pane at the left, the log below it, and the cluster at the right.
func (l *Layout) applyMedium() {
	l.Mode = Medium
	b := l.Body
	left := b.W * 54 / 100
	l.Main = Rect{b.X, b.Y, left, b.H}
	if log := b.H / 3; log >= 6 {
		l.Main.H = b.H - log
		l.Log = Rect{b.X, b.Y + l.Main.H, left, log}
	}
	side := Rect{b.X + left, b.Y, b.W - left, b.H}
	if side.H < minBootstrapHeight+etcdHeight+minNodesHeight {
		l.Overview = side
		return
	}
	l.Bootstrap, side = side.splitTop(min(bootstrapHeight, side.H-etcdHeight-minNodesHeight))
	l.Etcd, l.Nodes = side.splitTop(etcdHeight)
}

func (r Rect) splitTop(height int) (top, rest Rect) {
	return Rect{r.X, r.Y, r.W, height}, Rect{r.X, r.Y + height, r.W, r.H - height}
}

func (r Rect) splitLeft(width int) (left, rest Rect) {
	return Rect{r.X, r.Y, width, r.H}, Rect{r.X + width, r.Y, r.W - width, r.H}
}

// applyWide has the steps at the left, bootstrap and etcd in the middle, nodes and operators at the right, and log and journal
// below.
func (l *Layout) applyWide(journal bool) {
	l.Mode = Wide
	above, below := l.Body.splitTop(l.Body.H - max(l.Body.H/4, 8))
	column := l.Body.W * 30 / 100
	main, rest := above.splitLeft(column)
	middle, right := rest.splitLeft(column)
	l.Main = main
	l.Bootstrap, l.Etcd = middle.splitTop(min(bootstrapHeight, middle.H-etcdHeight))
	l.Nodes, l.Operators = right.splitTop(right.H - min(operatorsHeight, right.H*4/10))
	l.Log, l.Cloud = below.splitLeft(2 * column)
	if journal {
		l.Log, l.Journal = l.Log.splitLeft(column)
	}
	if free := l.Etcd.H - etcdHeight; free >= minCloudHeight {
		l.Etcd, l.Cloud = l.Etcd.splitTop(etcdHeight)
		l.Log, l.Journal = below, Rect{}
		if journal {
			l.Log, l.Journal = below.splitLeft(below.W / 2)
		}
	}
}
