package checks

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// SkipForm is a popup that asks until when a check is skipped, and why.
type SkipForm struct {
	theme       theme.Theme
	ascii       bool
	about       string // title of the check
	now         time.Time
	reason      components.Input
	days        components.Input
	daysFocused bool // the days are being edited
	problem     string
	skip        func(reason string, until time.Time) tea.Cmd
}

const (
	maxSkipReason   = 200
	defaultSkipDays = 30
	maxSkipDays     = 365
)

// NewSkipForm returns a popup that asks for a reason and an end, and calls skip with them.
func NewSkipForm(theme theme.Theme, ascii bool, about string, now time.Time, skip func(string, time.Time) tea.Cmd) *SkipForm {
	f := &SkipForm{theme: theme, ascii: ascii, about: about, now: now, reason: components.NewInput(maxSkipReason), days: components.NewInput(maxSkipReason), skip: skip}
	f.days.SetValue(strconv.Itoa(defaultSkipDays))
	return f
}

// IsTyping returns true: letters are text.
func (f *SkipForm) IsTyping() bool { return true }

// Hints returns the keys of the form.
func (f *SkipForm) Hints() []key.Binding {
	return []key.Binding{components.NewHint("enter", "continue"), components.NewHint("tab", "other field"), components.NewHint("esc", "cancel")}
}

// HandleKey edits the fields; it reports whether the form stays open.
func (f *SkipForm) HandleKey(k tea.KeyMsg) (bool, tea.Cmd) {
	f.problem = ""
	switch k.Type {
	case tea.KeyEsc:
		return false, nil
	case tea.KeyTab, tea.KeyShiftTab, tea.KeyUp, tea.KeyDown:
		f.daysFocused = !f.daysFocused
	case tea.KeyEnter:
		return f.handleAccept()
	default:
		f.handleTextKey(k)
	}
	return true, nil
}

func (f *SkipForm) handleTextKey(k tea.KeyMsg) {
	input := &f.reason
	if f.daysFocused {
		input = &f.days
	}
	f.problem = input.HandleKey(k)
}

// handleAccept goes to the second field, and then has the check skipped.
func (f *SkipForm) handleAccept() (bool, tea.Cmd) {
	reason, days := strings.TrimSpace(f.reason.Value()), f.parseDays()
	switch {
	case reason == "":
		f.daysFocused, f.problem = false, "Enter a reason: it is shown in the report and on the hand-over page."
	case !f.daysFocused:
		f.daysFocused = true
	case days < 1 || days > maxSkipDays:
		f.problem = fmt.Sprintf("Not a number of days from 1 to %d.", maxSkipDays)
	default:
		return false, f.skip(reason, f.computeUntil())
	}
	return true, nil
}

func (f *SkipForm) parseDays() int {
	days, err := strconv.Atoi(strings.TrimSpace(f.days.Value()))
	if err != nil {
		return 0
	}
	return days
}

// computeUntil returns the first day on which the check runs again.
func (f *SkipForm) computeUntil() time.Time {
	year, month, day := f.now.Date()
	return time.Date(year, month, day+f.parseDays(), 0, 0, 0, 0, time.UTC)
}

// View draws the form.
func (f *SkipForm) View(width, height int) string {
	t := f.theme
	lines := []string{"", " " + t.Bold.Render("Skip this check"), ""}
	about := cells.Wrap(f.about, " ", min(width, 90))
	fields := []string{"", f.renderField("Reason", f.reason, !f.daysFocused, width), f.renderField("Days", f.days, f.daysFocused, width)}
	note := f.problem
	style := t.Caution
	if note == "" {
		style, note = t.Dim, "A skipped check does not block an installation. The report shows the reason."
		if days := f.parseDays(); days > 0 && days <= maxSkipDays {
			note += " From " + f.computeUntil().Format(time.DateOnly) + " on it runs again."
		}
	}
	lines = append(append(lines, about...), fields...)
	lines = append(lines, "")
	for _, line := range cells.Wrap(note, " ", min(width, 90)) {
		lines = append(lines, style.Render(line))
	}
	if len(lines) > height {
		lines = fields[1:]
	}
	return cells.Fill(lines, width, height)
}

func (f *SkipForm) renderField(label string, input components.Input, chosen bool, width int) string {
	t, prong := f.theme, "  "
	text := cells.SanitizeText(input.Value(), f.ascii)
	if chosen {
		prong, text = t.Focus.Render(t.Cursor)+" ", input.Render(t, f.ascii, max(width-14, 1))
	}
	return " " + prong + t.Label.Render(cells.Fit(label, 9)) + text
}
