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
	Mode                          Mode
	Title, Strip, Present, Keys   Rect
	Rules                         []Rect
	Body                          Rect // all of what follows; overlays go here
	Main, Log                     Rect
	Overview                      Rect // beside Main, where there is no room for its parts
	Bootstrap, Etcd, Nodes, Cloud Rect
}

// Sizes at which the layout changes.
const (
	plainWidth, plainHeight = 60, 18
	mediumWidth             = 100
	wideWidth, wideHeight   = 140, 40
)

// Heights of boxes that hold all of their content.
const (
	bootstrapHeight = 13 // eleven phases and a frame
	etcdHeight      = 8  // the way, four members, a sentence, and a frame
)

// Arrange divides a screen. With single there is one pane at a time, whatever the size.
func Arrange(width, height int, single bool) Layout {
	if width < plainWidth || height < plainHeight {
		return Layout{Mode: Plain, Body: Rect{W: max(width, 0), H: max(height, 0)}}
	}
	l := head(width, height)
	switch {
	case single || width < mediumWidth:
		l.compact()
	case width < wideWidth || height < wideHeight:
		l.medium()
	default:
		l.wide()
	}
	return l
}

// lower moves all that begins at y or below.
func (l *Layout) lower(y, by int) {
	parts := []*Rect{&l.Keys, &l.Body, &l.Main, &l.Log, &l.Overview, &l.Bootstrap, &l.Etcd, &l.Nodes, &l.Cloud}
	for n := range l.Rules {
		parts = append(parts, &l.Rules[n])
	}
	for _, part := range parts {
		if part.Y >= y {
			part.Y += by
		}
	}
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
	if side.H < bootstrapHeight+etcdHeight+6 {
		l.Overview = side
		return
	}
	l.stack(side)
}

// stack puts bootstrap, etcd and nodes above each other; the nodes get what is left.
func (l *Layout) stack(r Rect) {
	l.Bootstrap = Rect{r.X, r.Y, r.W, bootstrapHeight}
	l.Etcd = Rect{r.X, r.Y + bootstrapHeight, r.W, etcdHeight}
	used := bootstrapHeight + etcdHeight
	l.Nodes = Rect{r.X, r.Y + used, r.W, r.H - used}
}

// wide has the steps at the left, the cluster in the middle, the nodes at the right, and the log below.
func (l *Layout) wide() {
	l.Mode = Wide
	b := l.Body
	log := max(b.H/4, 8)
	top := b.H - log
	left, right := b.W*36/100, b.W*32/100
	middle := Rect{left, b.Y, b.W - left - right, top}
	l.Main = Rect{0, b.Y, left, top}
	l.Bootstrap = Rect{middle.X, b.Y, middle.W, min(bootstrapHeight, top-etcdHeight)}
	l.Etcd = Rect{middle.X, b.Y + l.Bootstrap.H, middle.W, top - l.Bootstrap.H}
	l.Nodes = Rect{left + middle.W, b.Y, right, top}
	l.Log = Rect{0, b.Y + top, left + middle.W, log}
	l.Cloud = Rect{left + middle.W, b.Y + top, right, log}
	if free := top - l.Bootstrap.H - etcdHeight; free >= 8 {
		l.Etcd.H = etcdHeight
		l.Cloud = Rect{middle.X, b.Y + l.Bootstrap.H + etcdHeight, middle.W, free}
		l.Log.W = b.W
	}
}
