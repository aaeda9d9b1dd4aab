package wizard

import (
	"exoshift/tui/components"
)

type wizardLayout struct {
	Title, Strip, Intro, Main, Help, Side, Keys components.Rect
	Rules                                       []components.Rect
}

// A full-width page has no help beside it. On small screens the page has the highest priority, then the keys, then the title.
func newWizardLayout(width, height int, broad bool) wizardLayout {
	width, height = max(width, 0), max(height, 0)
	if width < components.MinWidth || height < components.MinHeight {
		return newSmallLayout(width, height)
	}
	l := wizardLayout{
		Title: components.Rect{X: 0, Y: 0, W: width, H: 1}, Strip: components.Rect{X: 0, Y: 1, W: width, H: 1}, Intro: components.Rect{X: 0, Y: 3, W: width, H: 1}, Keys: components.Rect{X: 0, Y: height - 1, W: width, H: 1},
		Rules: []components.Rect{{X: 0, Y: 2, W: width, H: 1}, {X: 0, Y: height - 2, W: width, H: 1}},
		Main:  components.Rect{X: 0, Y: 5, W: width, H: height - 7},
	}
	if height < 24 {
		l.Main.Y, l.Main.H = 4, height-6
	}
	if width >= components.MediumWidth && !broad {
		l.placeHelpBeside()
	}
	return l
}

func (l *wizardLayout) placeHelpBeside() { l.Main, l.Help = l.Main.SplitLeft(l.Main.W * 58 / 100) }

// splitHelp gives the help as many lines as it needs, but leaves the rest at least so many.
func (l *wizardLayout) splitHelp(help, least int) {
	if rest := l.Help.H - help; !l.Help.IsEmpty() && rest >= least {
		l.Help, l.Side = l.Help.SplitTop(help)
	}
}

func newSmallLayout(width, height int) wizardLayout {
	l := wizardLayout{Main: components.Rect{X: 0, Y: 0, W: width, H: height}}
	if height >= 6 {
		l.Main.H--
		l.Keys = components.Rect{X: 0, Y: height - 1, W: width, H: 1}
	}
	if height >= 4 {
		l.Main.Y, l.Main.H = 1, l.Main.H-1
		l.Title = components.Rect{X: 0, Y: 0, W: width, H: 1}
	}
	return l
}
