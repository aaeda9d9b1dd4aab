package tui

// Rect is a part of the screen in cells; a rect without area is not drawn.
type Rect struct{ X, Y, W, H int }

func (r Rect) empty() bool { return r.W <= 0 || r.H <= 0 }

// Mode is how much fits on a screen.
type Mode int

// The modes, from the smallest screen to the largest.
const (
	Plain   Mode = iota // stacked lines: the status only
	Compact             // one pane at a time
	Medium              // a main pane, and the cluster beside it
	Wide                // everything
)

// Layout says where everything goes.
type Layout struct {
	Mode                        Mode
	Title, Strip, Present, Keys Rect
	Rules                       []Rect
	Between                     Rect // what was wished for between Present and Body
	Body                        Rect // all of what follows; overlays go here
	Main, Log, Journal          Rect
	Overview                    Rect // beside Main, where there is no room for its parts
	Bootstrap, Etcd             Rect
	Nodes, Operators, Cloud     Rect
}

// Sizes at which the layout changes.
const (
	plainWidth, plainHeight = 60, 18
	mediumWidth             = 100
	wideWidth, wideHeight   = 140, 40
)

// Heights of boxes.
const (
	bootstrapHeight = 24 // sixteen phases, six lines of what goes on inside, and a frame
	bootstrapLeast  = 8
	etcdHeight      = 8 // the way, four members, a sentence, and a frame
	nodesLeast      = 9
	operatorsHeight = 14
	cloudLeast      = 8
	wideBody        = 22 // the least that a wide screen needs below what is said at its top
)

// Wish is what of a layout can be chosen or depends on the run.
type Wish struct {
	Single  bool // one pane at a time, whatever the size
	Journal bool // there are lines of a journal to show
	Between int  // lines between Present and Body
}

// Arrange divides a screen.
func Arrange(width, height int, wish Wish) Layout {
	if width < plainWidth || height < plainHeight {
		return Layout{Mode: Plain, Body: Rect{W: max(width, 0), H: max(height, 0)}}
	}
	l := head(width, height)
	l.Between, l.Body = l.Body.top(wish.Between)
	switch {
	case wish.Single || width < mediumWidth:
		l.compact()
	case width < wideWidth || height < wideHeight || l.Body.H < wideBody:
		l.medium()
	default:
		l.wide(wish.Journal)
	}
	return l
}

// head places what every larger screen has at its edges.
func head(width, height int) Layout {
	present := 2
	switch {
	case height >= wideHeight:
		present = 4
	case height >= 24:
		present = 3
	}
	l := Layout{
		Title:   Rect{0, 0, width, 1},
		Strip:   Rect{0, 1, width, 1},
		Present: Rect{0, 3, width, present},
		Keys:    Rect{0, height - 1, width, 1},
		Rules:   []Rect{{0, 2, width, 1}},
	}
	top := 3 + present
	l.Body = Rect{0, top, width, height - 1 - top}
	return l
}

// compact puts rules between the parts; the log goes first where there is little room.
func (l *Layout) compact() {
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

// medium has the chosen pane at the left, the log below it, and the cluster at the right.
func (l *Layout) medium() {
	l.Mode = Medium
	b := l.Body
	left := b.W * 54 / 100
	l.Main = Rect{b.X, b.Y, left, b.H}
	if log := b.H / 3; log >= 6 {
		l.Main.H = b.H - log
		l.Log = Rect{b.X, b.Y + l.Main.H, left, log}
	}
	side := Rect{b.X + left, b.Y, b.W - left, b.H}
	if side.H < bootstrapLeast+etcdHeight+nodesLeast {
		l.Overview = side
		return
	}
	l.Bootstrap, side = side.top(min(bootstrapHeight, side.H-etcdHeight-nodesLeast))
	l.Etcd, l.Nodes = side.top(etcdHeight)
}

// top cuts height lines off.
func (r Rect) top(height int) (top, rest Rect) {
	return Rect{r.X, r.Y, r.W, height}, Rect{r.X, r.Y + height, r.W, r.H - height}
}

// left cuts width columns off.
func (r Rect) left(width int) (left, rest Rect) {
	return Rect{r.X, r.Y, width, r.H}, Rect{r.X + width, r.Y, r.W - width, r.H}
}

// wide has the steps at the left, bootstrap and etcd in the middle, nodes and operators at the right, and what is
// written below.
func (l *Layout) wide(journal bool) {
	l.Mode = Wide
	above, below := l.Body.top(l.Body.H - max(l.Body.H/4, 8))
	column := l.Body.W * 30 / 100
	main, rest := above.left(column)
	middle, right := rest.left(column)
	l.Main = main
	l.Bootstrap, l.Etcd = middle.top(min(bootstrapHeight, middle.H-etcdHeight))
	l.Nodes, l.Operators = right.top(right.H - min(operatorsHeight, right.H*4/10))
	l.Log, l.Cloud = below.left(2 * column)
	if journal {
		l.Log, l.Journal = l.Log.left(column)
	}
	if free := l.Etcd.H - etcdHeight; free >= cloudLeast {
		l.Etcd, l.Cloud = l.Etcd.top(etcdHeight)
		l.Log, l.Journal = below, Rect{}
		if journal {
			l.Log, l.Journal = below.left(below.W / 2)
		}
	}
}
