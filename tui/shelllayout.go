package tui

// shellLayout says where everything of the wizard goes.
type shellLayout struct {
	Title, Strip, Intro, Main, Help, Aside, Keys Rect
	Rules                                        []Rect
}

// arrangeShell divides the wizard's screen. A broad page has no help beside it. On small screens the page comes first,
// then the keys, then the title.
func arrangeShell(width, height int, broad bool) shellLayout {
	width, height = max(width, 0), max(height, 0)
	if width < plainWidth || height < plainHeight {
		return smallShell(width, height)
	}
	l := shellLayout{
		Title: Rect{0, 0, width, 1}, Strip: Rect{0, 1, width, 1}, Intro: Rect{0, 3, width, 1}, Keys: Rect{0, height - 1, width, 1},
		Rules: []Rect{{0, 2, width, 1}, {0, height - 2, width, 1}},
		Main:  Rect{0, 5, width, height - 7},
	}
	if height < 24 {
		l.Main.Y, l.Main.H = 4, height-6
	}
	if width >= mediumWidth && !broad {
		l.beside()
	}
	return l
}

// beside puts the help at the right.
func (l *shellLayout) beside() { l.Main, l.Help = l.Main.left(l.Main.W * 58 / 100) }

// below leaves the help so many lines as it needs, and the rest to something else that needs some itself.
func (l *shellLayout) below(help, least int) {
	if rest := l.Help.H - help; !l.Help.empty() && rest >= least {
		l.Help, l.Aside = l.Help.top(help)
	}
}

func smallShell(width, height int) shellLayout {
	l := shellLayout{Main: Rect{0, 0, width, height}}
	if height >= 6 {
		l.Main.H--
		l.Keys = Rect{0, height - 1, width, 1}
	}
	if height >= 4 {
		l.Main.Y, l.Main.H = 1, l.Main.H-1
		l.Title = Rect{0, 0, width, 1}
	}
	return l
}
