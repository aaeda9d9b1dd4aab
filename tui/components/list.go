package components

import (
	"slices"
	"strings"

	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/viewport"
	tea "github.com/charmbracelet/bubbletea"
)

// List is a list of records with a cursor. It can be filtered, and opens a record with everything about it. The cursor stays on its
// record, wherever that moves.
type List struct {
	Theme   theme.Theme
	Title   string
	Records func() []Record // as they are now
	Empty   string          // text of a list without records
	OnCopy  func(text string) tea.Cmd
	OnSave  func(text string) tea.Cmd // nil: the list cannot be saved

	Follow bool // the cursor is on the last record

	keys     listKeys
	selected string // ID of the record at the cursor
	filter   Filter
	note     string // about the last key, beside the place
	typing   bool   // the filter is being edited
	wrap     bool   // long rows take several lines
	open     bool   // a record covers the list
	record   viewport.Model

	height int // of the rows, when last drawn
}

type listKeys struct {
	DocumentKeys
	Filter, Wrap, NextProblem, PreviousProblem, Copy, Save, Follow, Close key.Binding
}

func newListKeys() listKeys {
	bind := func(help, does string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
	}
	keys := listKeys{
		DocumentKeys: NewDocumentKeys(),
		Filter:       bind("/", "filter", "/"), Wrap: bind("w", "wrap", "w"),
		NextProblem: bind("n", "next problem", "n"), PreviousProblem: bind("N", "previous problem", "N"),
		Copy: bind("c", "copy", "c"), Save: bind("s", "save", "s"), Follow: bind("f", "follow", "f"),
		Close: bind("esc", "back", "esc", "alt+left", "q"),
	}
	keys.Accept.SetHelp("enter", "details")
	keys.PageDown.SetKeys("pgdown", "ctrl+f")
	return keys
}

// NewList returns a list. Its cursor begins on the first record, or with follow on the last.
func NewList(t theme.Theme, title string, records func() []Record, follow bool) *List {
	return &List{Theme: t, Title: title, Records: records, Follow: follow, keys: newListKeys()}
}

// SetFilter sets the filter, e.g. that of the pane from which the list was opened.
func (l *List) SetFilter(f Filter) { l.filter = f }

// HandleKey handles a key and reports whether the list stays open.
func (l *List) HandleKey(k tea.KeyMsg) (stays bool, cmd tea.Cmd) {
	l.note = ""
	switch {
	case l.typing:
		l.typing = l.filter.HandleKey(k, l.Theme.ASCII)
		return true, nil
	case l.open:
		return true, l.handleRecordKey(k)
	case key.Matches(k, l.keys.Close) && l.filter.Word() != "" && k.Type == tea.KeyEsc:
		l.filter.Clear()
		return true, nil
	case key.Matches(k, l.keys.Close):
		return false, nil
	}
	return true, l.handleListKey(k)
}

func (l *List) handleRecordKey(k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, l.keys.Close), key.Matches(k, l.keys.Accept):
		l.open = false
	case key.Matches(k, l.keys.Copy):
		return l.copyRecord()
	case key.Matches(k, l.keys.Next):
		l.openNeighbour(1)
	case key.Matches(k, l.keys.Previous):
		l.openNeighbour(-1)
	default:
		scrollText(&l.record, k)
	}
	return nil
}

func (l *List) openNeighbour(by int) {
	l.move(by)
	l.record.GotoTop()
}

func (l *List) handleListKey(k tea.KeyMsg) tea.Cmd {
	page := max(l.height-1, 1)
	switch {
	case key.Matches(k, l.keys.Up):
		l.move(-1)
	case key.Matches(k, l.keys.Down):
		l.move(1)
	case key.Matches(k, l.keys.PageUp):
		l.move(-page)
	case key.Matches(k, l.keys.PageDown):
		l.move(page)
	case key.Matches(k, l.keys.Home):
		l.move(-len(l.Records()))
	case key.Matches(k, l.keys.End), key.Matches(k, l.keys.Follow):
		l.move(len(l.Records()))
		l.Follow = key.Matches(k, l.keys.Follow)
	case key.Matches(k, l.keys.NextProblem):
		l.moveToProblem(1)
	case key.Matches(k, l.keys.PreviousProblem):
		l.moveToProblem(-1)
	case key.Matches(k, l.keys.Filter):
		l.typing = true
	case key.Matches(k, l.keys.Wrap):
		l.wrap = !l.wrap
	case key.Matches(k, l.keys.Accept):
		l.openRecord()
	default:
		return l.handleTextKey(k)
	}
	return nil
}

func (l *List) handleTextKey(k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, l.keys.Copy):
		return l.copyRecord()
	case key.Matches(k, l.keys.Save) && l.OnSave != nil:
		return l.OnSave(l.Format())
	}
	return nil
}

func (l *List) copyRecord() tea.Cmd {
	records, at := l.find()
	if at < 0 || l.OnCopy == nil {
		return nil
	}
	return l.OnCopy(records[at].Format())
}

// Format returns the rows of the list, as they are filtered.
func (l *List) Format() string {
	var text strings.Builder
	records, _ := l.find()
	for _, record := range records {
		text.WriteString(record.formatRow() + "\n")
	}
	return text.String()
}

func (l *List) openRecord() {
	records, at := l.find()
	if at < 0 {
		return
	}
	l.selected, l.open, l.Follow = records[at].ID, true, false
	l.record.GotoTop()
}

// find returns the records that mention the word of the filter, and the index of the one at the cursor, -1 if there is none.
func (l *List) find() (records []Record, at int) {
	word := strings.ToLower(l.filter.Word())
	for _, record := range l.Records() {
		if word == "" || strings.Contains(strings.ToLower(record.Name+" "+record.Note), word) {
			records = append(records, record)
		}
	}
	if l.Follow {
		return records, len(records) - 1
	}
	at = slices.IndexFunc(records, func(r Record) bool { return r.ID == l.selected })
	return records, max(at, min(0, len(records)-1))
}

func (l *List) move(by int) {
	records, at := l.find()
	if at < 0 {
		return
	}
	l.Follow, l.selected = false, records[min(max(at+by, 0), len(records)-1)].ID
}

// moveToProblem moves the cursor to the next record that needs attention, if there is one.
func (l *List) moveToProblem(by int) {
	records, at := l.find()
	for i := at + by; i >= 0 && i < len(records); i += by {
		if records[i].hasProblem() {
			l.Follow, l.selected = false, records[i].ID
			return
		}
	}
	l.note = "no further problem"
}

// HandleWheel moves the cursor, or scrolls the record that is open.
func (l *List) HandleWheel(by int) {
	switch {
	case l.open && by < 0:
		l.record.ScrollUp(-by)
	case l.open:
		l.record.ScrollDown(by)
	default:
		l.move(by)
	}
}

// HandleClick puts the cursor on the row of that target; the row at the cursor is opened.
func (l *List) HandleClick(target string) {
	id, is := strings.CutPrefix(target, rowTarget)
	records, at := l.find()
	if !is || l.open || !slices.ContainsFunc(records, func(r Record) bool { return r.ID == id }) {
		return
	}
	if records[at].ID == id && !l.Follow {
		l.openRecord()
		return
	}
	l.Follow, l.selected = false, id
}

// rowTarget is the prefix of the target of a row, whose ID follows.
const rowTarget = "row:"

// IsTyping reports whether letters are text.
func (l *List) IsTyping() bool { return l.typing }

// Hints returns the keys of the list, the most important first.
func (l *List) Hints() []key.Binding {
	switch {
	case l.typing:
		return []key.Binding{NewHint("enter", "applies the filter"), NewHint("esc", "clears it")}
	case l.open:
		return []key.Binding{NewHint("esc", "back"), NewHint("up/down", "scroll"), l.keys.Copy, NewHint("tab", "next")}
	}
	return []key.Binding{
		l.keys.Close, l.keys.Accept, l.keys.Filter, l.keys.NextProblem, l.keys.Wrap, l.keys.Copy, l.saveKey(), l.keys.Follow,
	}
}

func (l *List) saveKey() key.Binding {
	save := l.keys.Save
	save.SetEnabled(l.OnSave != nil)
	return save
}

// FullHelp returns all keys of the list, or of the record that is open: those that do something, and those that move.
func (l *List) FullHelp() (actions, movements []key.Binding) {
	if l.open {
		return []key.Binding{l.keys.Close, l.keys.Copy, l.keys.Next, l.keys.Previous},
			[]key.Binding{NewHint("up/down", "scroll"), l.keys.PageUp, l.keys.PageDown, l.keys.Home, l.keys.End}
	}
	return []key.Binding{
			l.keys.Close, l.keys.Accept, l.keys.Filter, l.keys.NextProblem, l.keys.PreviousProblem, l.keys.Wrap, l.keys.Copy, l.saveKey(), l.keys.Follow,
		}, []key.Binding{
			l.keys.Down, l.keys.PageUp, l.keys.PageDown, l.keys.Home, l.keys.End,
		}
}
