package app

import (
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// Signals are what a terminal shows outside of a screen: its bell, notifications, the title of its window, the progress of its tab.
// The zero value has none.
type Signals struct {
	Out      io.Writer // nil: there are none at all
	Silent   bool      // neither bell nor notifications
	BellOnly bool      // no escape sequences
	Links    bool      // web addresses can be opened by a click

	notify   []func(title, text string) string // in the forms that the terminal knows
	progress bool
	wrap     func(sequence string) string // for a multiplexer between the program and the terminal
}

// DetectSignals returns the signals of a terminal: none where out is not one, or one that cannot place its cursor. Without colours
// there is only the bell.
func DetectSignals(out io.Writer, noColor, silent bool) Signals {
	file, is := out.(*os.File)
	if !is || !term.IsTerminal(int(file.Fd())) {
		return Signals{}
	}
	return newSignals(out, noColor, silent, os.Getenv)
}

// newSignals asks the environment for the terminal: progress that a terminal does not know may be shown as a notification, and a
// notification in two forms twice.
func newSignals(out io.Writer, noColor, silent bool, env func(string) string) Signals {
	s := Signals{Out: out, Silent: silent, wrap: func(sequence string) string { return sequence }}
	name, program := env("TERM"), env("TERM_PROGRAM")
	switch {
	case name == "dumb":
		return Signals{}
	case noColor || name == "linux" || strings.HasPrefix(name, "screen") && env("TMUX") == "":
		s.BellOnly = true
		return s
	}
	modern, vte := isModern(env), parseVTE(env)
	switch {
	case modern || program == "iTerm.app" || env("KITTY_WINDOW_ID") != "":
		s.notify = []func(string, string) string{notifyByText}
	case vte > 0 || strings.HasPrefix(name, "foot") || strings.HasPrefix(name, "rxvt"):
		s.notify = []func(string, string) string{notifyByTitle}
	default:
		s.notify = []func(string, string) string{notifyByText, notifyByTitle}
	}
	s.progress, s.Links = modern || vte >= 8000, hasLinks(env)
	if env("TMUX") != "" {
		s.wrap, s.Links = ansi.TmuxPassthrough, false
	}
	return s
}

// isModern reports whether a terminal has notifications, progress and links.
func isModern(env func(string) string) bool {
	return slices.Contains([]string{"WezTerm", "ghostty", "mintty"}, env("TERM_PROGRAM")) || env("WT_SESSION") != ""
}

// parseVTE returns the version of a terminal by GNOME's library, e.g. 7600; 0 for others.
func parseVTE(env func(string) string) int {
	version, _ := strconv.Atoi(env("VTE_VERSION"))
	return version
}

func hasLinks(env func(string) string) bool {
	return isModern(env) || parseVTE(env) >= 5000 || env("KITTY_WINDOW_ID") != "" || env("KONSOLE_VERSION") != "" ||
		slices.Contains([]string{"iTerm.app", "vscode", "Tabby", "Hyper"}, env("TERM_PROGRAM")) ||
		slices.Contains([]string{"foot", "foot-extra", "alacritty", "xterm-kitty", "xterm-ghostty"}, env("TERM"))
}

func notifyByText(title, text string) string { return ansi.Notify(title + ": " + text) }

func notifyByTitle(title, text string) string {
	return "\x1b]777;notify;" + strings.ReplaceAll(title, ";", ",") + ";" + strings.ReplaceAll(text, ";", ",") + "\a"
}

// Notify rings the bell and shows a notification. The texts have no control characters.
func (s Signals) Notify(title, text string) tea.Cmd {
	if s.Silent {
		return nil
	}
	sequences := "\a"
	if !s.BellOnly {
		for _, form := range s.notify {
			sequences += s.wrap(form(title, text))
		}
	}
	return s.write(sequences)
}

// ProgressState is how the progress of a tab is drawn, in the terminal's own colours.
type ProgressState int

// The states of the progress.
const (
	ProgressHidden ProgressState = iota
	ProgressNormal
	ProgressFailed
	ProgressWaiting // for the operator
)

// Show sets the title of the window, which has no control characters, and the progress in percent.
func (s Signals) Show(title string, state ProgressState, percent int) tea.Cmd {
	if s.BellOnly {
		return nil
	}
	return s.write(ansi.SetWindowTitle(title) + s.formatProgress(state, percent))
}

func (s Signals) formatProgress(state ProgressState, percent int) string {
	switch {
	case !s.progress:
		return ""
	case state == ProgressNormal:
		return s.wrap(ansi.SetProgressBar(percent))
	case state == ProgressFailed:
		return s.wrap(ansi.SetErrorProgressBar(percent))
	case state == ProgressWaiting:
		return s.wrap(ansi.SetWarningProgressBar(percent))
	}
	return s.wrap(ansi.ResetProgressBar)
}

func (s Signals) write(sequences string) tea.Cmd {
	if s.Out == nil {
		return nil
	}
	return func() tea.Msg {
		_, _ = io.WriteString(s.Out, sequences) // a terminal that is gone is noticed by the screen
		return nil
	}
}

// Save keeps the title of the window until restore, which also hides the progress.
func (s Signals) Save() (restore func()) {
	if s.Out == nil || s.BellOnly {
		return func() {}
	}
	_, _ = io.WriteString(s.Out, pushTitle) // a terminal that is gone is noticed by the screen
	return func() { _, _ = io.WriteString(s.Out, popTitle+s.formatProgress(ProgressHidden, 0)) }
}

// Of xterm, which others follow: keep the title of the window on a stack.
const (
	pushTitle = "\x1b[22;2t"
	popTitle  = "\x1b[23;2t"
)

// Link makes the first occurrence of each web address on a screen one that can be opened by a click, where it is whole.
func (s Signals) Link(screen string, addresses ...string) string {
	if !s.Links {
		return screen
	}
	for _, address := range addresses {
		before, after, found := strings.Cut(screen, address)
		if found && address != "" && (after == "" || strings.ContainsAny(after[:1], " \n\x1b.,;)")) {
			screen = before + ansi.SetHyperlink(address) + address + ansi.ResetHyperlink() + after
		}
	}
	return screen
}
