package page

import (
	"context"
	"io"
	"time"

	"exoshift/internal/text"
	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
)

// Context is shared by all pages of an interview: its session, and the terminal. It is confined to the goroutine of the
// program, but for Send.
type Context struct {
	*session.Session
	Theme theme.Theme
	ASCII bool
	Out   io.Writer // the terminal; nil where there is none
	Now   func() time.Time
	Spawn app.Spawn
	// Send sends a message to the screen from any goroutine, such as the progress of background work.
	Send  func(tea.Msg)
	Later app.Later

	delays map[string]int // by the ID of a lookup: the generation whose delay has begun

	HelpBeside bool // the help is beside the page

	Intent   any       // requested by the page: one of the intents below
	commands []tea.Cmd // to run in the background after this message
}

// UpdateMsg is what background work of the session has found.
type UpdateMsg struct{ Update func() }

// SaveDoneMsg is sent when a job of saving has ended.
type SaveDoneMsg struct{}

// NewContext returns the context of an interview's pages, with a session of its own.
func NewContext(i *wizard.Interview, theme theme.Theme, ascii bool, now func() time.Time) *Context {
	return &Context{
		Session: session.New(i, now), Theme: theme, ASCII: ascii, Now: now, delays: map[string]int{},
		Send: func(tea.Msg) {}, Spawn: app.NewSpawn(context.Background()), Later: app.SendLater,
	}
}

// AddCommand has a command run after this message; nil is none.
func (t *Context) AddCommand(cmd tea.Cmd) {
	if cmd != nil {
		t.commands = append(t.commands, cmd)
	}
}

// RunWork runs work of the session in the background; nil is none.
func (t *Context) RunWork(work session.Work) {
	if work == nil {
		return
	}
	cmd, _ := t.Spawn(func(ctx context.Context) tea.Msg {
		work(ctx, func(update func()) { t.Send(UpdateMsg{update}) })
		return nil
	})
	t.AddCommand(cmd)
}

// TakeCommands returns the commands of this message, and what the session has to have done in the background.
func (t *Context) TakeCommands() tea.Cmd {
	t.RunWork(t.Local.Start())
	t.scheduleLookups()
	if save := t.Saves.Start(); save != nil {
		t.AddCommand(func() tea.Msg {
			save()
			return SaveDoneMsg{}
		})
	}
	commands := t.commands
	t.commands = nil
	return tea.Batch(commands...)
}

type (
	// NextIntent requests the next page.
	NextIntent struct{}
	// PreviousIntent requests the page before.
	PreviousIntent struct{}
	// FieldIntent requests the page of a field, and its selection there.
	FieldIntent struct{ Key string }
	// FinishIntent requests the end of the wizard.
	FinishIntent struct{ Install bool }
)

// RequestNext requests the next page.
func (t *Context) RequestNext() { t.Intent = NextIntent{} }

// RequestPrevious requests the page before.
func (t *Context) RequestPrevious() { t.Intent = PreviousIntent{} }

// RequestField requests the page of a field.
func (t *Context) RequestField(key string) { t.Intent = FieldIntent{key} }

// RequestFinish saves everything and ends the wizard; install confirms the installation.
func (t *Context) RequestFinish(install bool) { t.Intent = FinishIntent{install} }

// ComputeStatus returns the status of a screen's answers.
func (t *Context) ComputeStatus(screen wizard.Screen) theme.Status {
	switch t.Status(screen) {
	case session.Error:
		return theme.Failed
	case session.Warning:
		return theme.Warn
	case session.OK:
	}
	return theme.OK
}

// DescribeDraft returns when the draft was saved, or why it was not.
func (t *Context) DescribeDraft() (words string, bad bool) {
	switch at, err := t.Saves.LastSaved(); {
	case err != nil:
		return "draft not saved: " + cells.SanitizeText(err.Error(), t.ASCII), true
	case at.IsZero(), t.Interview.DraftPath == "":
		return "", false
	default:
		return "draft saved " + text.FormatAge(t.Now().Sub(at)), false
	}
}

// IsAnswered reports whether there is an answer, or none is required.
func (t *Context) IsAnswered(field wizard.Field) bool {
	return t.Text(field) != "" || !field.IsRequired(t.Spec())
}

// scheduleLookups begins the delay of the lookups that have become due.
func (t *Context) scheduleLookups() {
	for _, q := range t.Lookups.List() {
		if q.State != session.Due || t.delays[q.ID] == q.Generation {
			continue
		}
		t.delays[q.ID] = q.Generation
		message := LookupDueMsg{q.ID, q.Generation}
		if q.Delay == 0 {
			t.AddCommand(func() tea.Msg { return message })
		} else {
			t.AddCommand(t.Later(q.Delay, message))
		}
	}
}

// StartLookup starts a lookup whose delay has passed.
func (t *Context) StartLookup(m LookupDueMsg) {
	if work := t.Lookups.Start(m.id, m.generation); work != nil {
		t.RunWork(work)
		t.AddCommand(t.Later(MinBusyTime, BusyShownMsg{}))
	}
}
