// Package fleet is the screen of all clusters in shared state: a table that sorts, filters, and opens a cluster.
package fleet

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/table"
	tea "github.com/charmbracelet/bubbletea"

	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
)

// Row is a cluster.
type Row struct {
	ID      string
	Cells   []string // below the columns
	Keys    []string // that the rows are sorted by, below the columns
	Faulty  bool     // it is not healthy, or has drifted
	Details []string // sentences about it
}

// Position is what the table shows of the rows, and where its cursor is.
type Position struct {
	Sorted   int // column
	Reverse  bool
	Filter   components.Filter
	Selected string // ID
}

// Options configure the screen.
type Options struct {
	Title    string
	Columns  []string // titles
	Rows     []Row
	Position Position

	In      io.Reader // nil for the standard input
	Out     io.Writer // nil for the standard output
	NoColor bool
	ASCII   bool
}

// Run shows the table until a cluster is opened, whose ID it returns, or until it is left.
func Run(ctx context.Context, o Options) (chosen string, left Position, err error) {
	if err := app.CheckTerminal(o.Out, "open the table of clusters", "use --output table"); err != nil {
		return "", left, err
	}
	s := newScreen(o)
	program := app.NewProgram(s, app.Options{In: o.In, Out: o.Out, FPS: framesPerSecond})
	if err := program.Run(ctx); err != nil && ctx.Err() == nil {
		return "", left, fault.New(fault.Internal, "draw the table of clusters", err).WithHint("use --output table")
	}
	return s.chosen, s.position, context.Cause(ctx)
}

const framesPerSecond = 20

type keyMap struct{ open, sort, reverse, filter, clear, quit key.Binding }

func newKeyMap() keyMap {
	bind := func(help, does string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
	}
	return keyMap{
		open: bind("enter", "open dashboard", "enter"), sort: bind("s", "sort by next column", "s"), reverse: bind("S", "reverse", "S"),
		filter: bind("/", "filter", "/"), clear: bind("esc", "clear filter", "esc"), quit: bind("q", "quit", "q", "ctrl+c"),
	}
}

type screen struct {
	options       Options
	theme         theme.Theme
	keys          keyMap
	table         table.Model
	shown         []Row // in the order of the table
	position      Position
	typing        bool // the filter is being edited
	width, height int
	chosen        string
}

func newScreen(o Options) *screen {
	o.Title = cells.SanitizeText(o.Title, o.ASCII)
	for _, row := range o.Rows {
		for n := range row.Cells {
			row.Cells[n] = cells.SanitizeText(row.Cells[n], o.ASCII)
		}
	}
	s := &screen{options: o, theme: theme.Detect(o.Out, o.NoColor, o.ASCII), keys: newKeyMap(), position: o.Position}
	s.table = table.New(table.WithFocused(true), table.WithStyles(table.Styles{Header: s.theme.Label, Cell: s.theme.Plain, Selected: s.theme.Selected}))
	return s
}

func (s *screen) Init() tea.Cmd { return nil }

func (s *screen) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = m.Width, m.Height
		s.arrange()
	case app.InputClosedMsg:
		return s, tea.Quit
	case app.WheelMsg:
		return s, nil
	case tea.KeyMsg:
		var commands []tea.Cmd
		for _, one := range app.SplitRunes(m) {
			if k, isKey := one.(tea.KeyMsg); isKey {
				commands = append(commands, s.handleKey(k))
			}
		}
		return s, tea.Batch(commands...)
	}
	return s, nil
}

func (s *screen) handleKey(k tea.KeyMsg) tea.Cmd {
	switch {
	case s.typing:
		s.typing = s.position.Filter.HandleKey(k, s.options.ASCII)
	case key.Matches(k, s.keys.quit):
		return tea.Quit
	case key.Matches(k, s.keys.open):
		s.chosen = s.position.Selected
		if s.chosen == "" {
			return nil
		}
		return tea.Quit
	case key.Matches(k, s.keys.sort):
		s.position.Sorted = (s.position.Sorted + 1) % len(s.options.Columns)
	case key.Matches(k, s.keys.reverse):
		s.position.Reverse = !s.position.Reverse
	case key.Matches(k, s.keys.filter):
		s.typing = true
	case key.Matches(k, s.keys.clear):
		s.position.Filter.Clear()
	default:
		s.table, _ = s.table.Update(k)
		s.remember()
		return nil
	}
	s.arrange()
	return nil
}

// remember keeps the cursor on its cluster, wherever that moves.
func (s *screen) remember() {
	if at := s.table.Cursor(); at >= 0 && at < len(s.shown) {
		s.position.Selected = s.shown[at].ID
	}
}

// arrange puts the rows that pass the filter in order, and has as many columns as there is room for.
func (s *screen) arrange() {
	if s.width <= 0 || s.height <= 0 {
		return
	}
	s.shown = nil
	for _, row := range s.options.Rows {
		if word := strings.ToLower(s.position.Filter.Word()); strings.Contains(strings.ToLower(strings.Join(row.Cells, " ")), word) {
			s.shown = append(s.shown, row)
		}
	}
	stable.Sort(s.shown, func(a, b Row) int {
		order := strings.Compare(a.Keys[s.position.Sorted], b.Keys[s.position.Sorted])
		if s.position.Reverse {
			order = -order
		}
		return order
	})
	columns := s.fitColumns()
	rows := make([]table.Row, len(s.shown))
	for n, row := range s.shown {
		mark := s.theme.MarkCell(theme.OK)
		if row.Faulty {
			mark = s.theme.MarkCell(theme.Warn)
		}
		rows[n] = append(table.Row{mark}, row.Cells[:len(columns)-1]...)
	}
	s.table.SetRows(nil) // they have as many cells as there are columns
	s.table.SetColumns(columns)
	s.table.SetRows(rows)
	s.table.SetWidth(s.width)
	s.table.SetHeight(max(s.height-frameLines, 2))
	s.table.SetCursor(max(slices.IndexFunc(s.shown, func(r Row) bool { return r.ID == s.position.Selected }), 0))
	s.position.Selected = ""
	s.remember()
}

// fitColumns leaves columns out from the right, where the least important ones are.
func (s *screen) fitColumns() []table.Column {
	columns := []table.Column{{Title: "", Width: 1}}
	used := 1
	for n, title := range s.options.Columns {
		if n == s.position.Sorted {
			title += s.renderOrder()
		}
		width := cells.Count(title)
		for _, row := range s.options.Rows {
			width = max(width, min(cells.Count(row.Cells[n]), maxColumn))
		}
		if used += width + 1; used > s.width && n > 0 {
			break
		}
		columns = append(columns, table.Column{Title: title, Width: width + 1})
	}
	return columns
}

const (
	maxColumn  = 40
	maxDetails = 3
	frameLines = 3 + maxDetails // title, a line of the filter, details, and keys
)

func (s *screen) renderOrder() string {
	switch {
	case s.options.ASCII && s.position.Reverse:
		return " v"
	case s.options.ASCII:
		return " ^"
	case s.position.Reverse:
		return " ↓"
	}
	return " ↑"
}

// View draws the whole screen without any I/O.
func (s *screen) View() string {
	if s.width <= 0 || s.height <= 0 {
		return ""
	}
	faulty := 0
	for _, row := range s.shown {
		if row.Faulty {
			faulty++
		}
	}
	lines := []string{cells.JoinEnds(s.theme.Bold.Render(s.options.Title), s.renderCount(len(s.shown), faulty), s.width)}
	lines = append(lines, strings.Split(s.table.View(), "\n")...)
	for len(lines) < s.height-maxDetails-2 {
		lines = append(lines, "")
	}
	lines = append(lines[:max(min(len(lines), s.height-maxDetails-2), 0)], s.renderDetails()...)
	filter := ""
	if s.typing || s.position.Filter.Word() != "" {
		filter = s.theme.RenderFilter(s.position.Filter.Word(), s.typing)
	}
	keys := []key.Binding{s.keys.open, s.keys.sort, s.keys.reverse, s.keys.filter, s.keys.quit}
	lines = append(lines, filter, components.RenderKeys(s.theme, keys, s.width))
	view := cells.Fill(lines, s.width, s.height)
	if s.options.ASCII {
		return cells.ToASCII(view)
	}
	return view
}
