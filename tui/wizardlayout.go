package tui

type wizardLayout struct {
	Title, Strip, Intro, Main, Help, Side, Keys Rect
	Rules                                       []Rect
}

// A full-width page has no help beside it. On small screens the page has the highest priority, then the keys, then the title.
func newWizardLayout(width, height int, broad bool) wizardLayout {
	width, height = max(width, 0), max(height, 0)
	if width < plainWidth || height < plainHeight {
		return newSmallLayout(width, height)
	}
	l := wizardLayout{
		Title: Rect{0, 0, width, 1}, Strip: Rect{0, 1, width, 1}, Intro: Rect{0, 3, width, 1}, Keys: Rect{0, height - 1, width, 1},
		Rules: []Rect{{0, 2, width, 1}, {0, height - 2, width, 1}},
		Main:  Rect{0, 5, width, height - 7},
	}
	if height < 24 {
		l.Main.Y, l.Main.H = 4, height-6
	}
	if width >= mediumWidth && !broad {
		l.placeHelpBeside()
	}
	return l
}

func (l *wizardLayout) placeHelpBeside() { l.Main, l.Help = l.Main.splitLeft(l.Main.W * 58 / 100) }

// splitHelp gives the help as many lines as it needs, but leaves the rest at least so many.
func (l *wizardLayout) splitHelp(help, least int) {
	if rest := l.Help.H - help; !l.Help.isEmpty() && rest >= least {
		l.Help, l.Side = l.Help.splitTop(help)
	}
}

func newSmallLayout(width, height int) wizardLayout {
	l := wizardLayout{Main: Rect{0, 0, width, height}}
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
