package tui

import (
	"context"
	"io"
	"sync"
	"time"

	"exoshift/internal/text"
	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
)

// pageContext is shared by all pages of an interview: its session, and the terminal. It is confined to the goroutine of the
// program, but for send and zoneMu.
type pageContext struct {
	*session.Session
	theme theme.Theme
	ascii bool
	out   io.Writer // the terminal; nil where there is none
	now   func() time.Time
	spawn app.Spawn
	// send sends a message to the screen from any goroutine, such as the progress of background work.
	send  func(tea.Msg)
	later app.Later

	delays map[string]int // by the ID of a lookup: the generation whose delay has begun

	zoneRuns int          // zone checks whose machine may still exist
	zoneMu   sync.RWMutex // held for reading by each of them

	helpBeside bool // the help is beside the page

	intent   any       // requested by the page: one of the intents below
	commands []tea.Cmd // to run in the background after this message
}

// updateMsg is what background work of the session has found.
type updateMsg struct{ update func() }

// saveDoneMsg is sent when a job of saving has ended.
type saveDoneMsg struct{}

func newPageContext(i *wizard.Interview, theme theme.Theme, ascii bool, now func() time.Time) *pageContext {
	return &pageContext{
		Session: session.New(i, now), theme: theme, ascii: ascii, now: now, delays: map[string]int{},
		send: func(tea.Msg) {}, spawn: app.NewSpawn(context.Background()), later: app.SendLater,
	}
}

func (t *pageContext) addCommand(cmd tea.Cmd) {
	if cmd != nil {
		t.commands = append(t.commands, cmd)
	}
}

// runWork runs work of the session in the background; nil is none.
func (t *pageContext) runWork(work session.Work) {
	if work == nil {
		return
	}
	cmd, _ := t.spawn(func(ctx context.Context) tea.Msg {
		work(ctx, func(update func()) { t.send(updateMsg{update}) })
		return nil
	})
	t.addCommand(cmd)
}

// takeCommands returns the commands of this message, and what the session has to have done in the background.
func (t *pageContext) takeCommands() tea.Cmd {
	t.runWork(t.Local.Start())
	t.scheduleLookups()
	if save := t.Saves.Start(); save != nil {
		t.addCommand(func() tea.Msg {
			save()
			return saveDoneMsg{}
		})
	}
	commands := t.commands
	t.commands = nil
	return tea.Batch(commands...)
}

type (
	nextIntent     struct{}
	previousIntent struct{}
	fieldIntent    struct{ key string }
	finishIntent   struct{ install bool }
)

func (t *pageContext) requestNext() { t.intent = nextIntent{} }

func (t *pageContext) requestPrevious() { t.intent = previousIntent{} }

func (t *pageContext) requestField(key string) { t.intent = fieldIntent{key} }

// requestFinish saves everything and ends the wizard; goes confirms the installation.
func (t *pageContext) requestFinish(goes bool) { t.intent = finishIntent{goes} }

// computeStatus returns the status of a screen's answers.
func (t *pageContext) computeStatus(screen wizard.Screen) theme.Status {
	switch t.Status(screen) {
	case session.Error:
		return theme.Failed
	case session.Warning:
		return theme.Warn
	case session.OK:
	}
	return theme.OK
}

func (t *pageContext) describeDraft() (words string, bad bool) {
	switch at, err := t.Saves.LastSaved(); {
	case err != nil:
		return "draft not saved: " + cells.SanitizeText(err.Error(), t.ascii), true
	case at.IsZero(), t.Interview.DraftPath == "":
		return "", false
	default:
		return "draft saved " + text.FormatAge(t.now().Sub(at)), false
	}
}

// isAnswered reports whether there is an answer, or none is required.
func (t *pageContext) isAnswered(field wizard.Field) bool {
	return t.Text(field) != "" || !field.IsRequired(t.Spec())
}

// scheduleLookups begins the delay of the lookups that have become due.
func (t *pageContext) scheduleLookups() {
	for _, q := range t.Lookups.List() {
		if q.State != session.Due || t.delays[q.ID] == q.Generation {
			continue
		}
		t.delays[q.ID] = q.Generation
		message := lookupDueMsg{q.ID, q.Generation}
		if q.Delay == 0 {
			t.addCommand(func() tea.Msg { return message })
		} else {
			t.addCommand(t.later(q.Delay, message))
		}
	}
}

func (t *pageContext) startLookup(m lookupDueMsg) {
	if work := t.Lookups.Start(m.id, m.generation); work != nil {
		t.runWork(work)
		t.addCommand(t.later(minBusyTime, busyShownMsg{}))
	}
}
