package console

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"

	"exoshift/internal/text"
	"exoshift/provisioner"
)

// AccessiblePrinter prints a run in sentences, one for each change, and its status on demand. It is for screen readers and
// line-only terminals, and safe for concurrent use.
type AccessiblePrinter struct {
	mu            sync.Mutex
	w             io.Writer
	board         *provisioner.Board
	printSentence func(provisioner.Event)
	status        func(io.Writer, *provisioner.Board)
	decide        func(rule string, reply provisioner.Reply) // nil: nothing can be decided
}

// NewAccessiblePrinter returns the printer of a plan's run. status prints the current state of the run.
func NewAccessiblePrinter(w io.Writer, plan provisioner.Plan, status func(io.Writer, *provisioner.Board)) *AccessiblePrinter {
	return &AccessiblePrinter{w: w, board: provisioner.NewBoard(plan), printSentence: NewSentencePrinter(w), status: status}
}

// Handle prints an event.
func (n *AccessiblePrinter) Handle(e provisioner.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.board.Fold(e)
	n.printSentence(e)
}

// OnDecision sets what is called with the typed answer to a question about a finding. It is called before the first event.
func (n *AccessiblePrinter) OnDecision(decide func(rule string, reply provisioner.Reply)) {
	n.decide = decide
}

// WhileRunning explains the commands available during a run.
const WhileRunning = "During the run, type s and Enter for the current state. Ctrl-C stops it after the calls in flight; the same command resumes."

// HandleLine handles a line that was typed during a run.
func (n *AccessiblePrinter) HandleLine(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	word := strings.ToLower(strings.TrimSpace(line))
	if question := n.board.Question; question != nil && n.decide != nil && (word == question.Decision || word == string(provisioner.ReplyWait)) {
		n.decide(question.Name, provisioner.Reply(word))
		return
	}
	switch word {
	case "":
	case "s", "status":
		n.status(NewAccessibleWriter(n.w), n.board)
	default:
		fmt.Fprintln(n.w, WhileRunning)
	}
}

// NewSentencePrinter returns a printer like NewPlain, in sentences without columns: no time of day, words in place of marks,
// and waits only when their details have changed.
func NewSentencePrinter(w io.Writer) func(provisioner.Event) {
	p := &plainPrinter{w: w, steps: map[string]*runningStep{}, printed: map[string]string{}}
	p.accessible = true
	return p.print
}

// printSentence leaves lines indented by two spaces as they are: they are meant to be copied.
func (p *plainPrinter) printSentence(e provisioner.Event, column, words string) {
	if strings.HasPrefix(words, "  ") {
		fmt.Fprintln(p.w, SanitizeLine(words))
		return
	}
	if e.Type == provisioner.TypeWait && p.isRepeatedWait(e) {
		return
	}
	fmt.Fprintln(p.w, text.Sentence(text.Capitalize(text.Join(": ", describeColumn(column), expandDurations(SanitizeLine(words))))))
}

func (p *plainPrinter) isRepeatedWait(e provisioner.Event) bool {
	now := e.What + "\n" + e.Last
	before := p.printed["wait/"+e.Step]
	p.printed["wait/"+e.Step] = now
	return now == before
}

func describeColumn(column string) string {
	switch column {
	case "..", "run", "object":
		return ""
	case "!":
		return "diagnosis"
	case "decide":
		return "decision"
	case "csr":
		return "certificate request"
	}
	return strings.ReplaceAll(SanitizeLine(column), "-", " ")
}

var (
	durationPattern = regexp.MustCompile(`\b(\d+h\d\dm|\d+m\d\ds|\d+m|\d+s)\b`)
	columnGap       = regexp.MustCompile(` {2,}`)
)

// expandDurations avoids abbreviations that screen readers would spell.
func expandDurations(line string) string {
	return durationPattern.ReplaceAllStringFunc(line, func(short string) string {
		d, err := time.ParseDuration(short)
		if err != nil {
			return short
		}
		var words []string
		for _, part := range []struct {
			n    int
			unit string
		}{{int(d.Hours()), "hour"}, {int(d.Minutes()) % 60, "minute"}, {int(d.Seconds()) % 60, "second"}} {
			if part.n > 0 {
				words = append(words, text.Plural(part.n, part.unit))
			}
		}
		return cmp.Or(strings.Join(words, " "), short)
	})
}

// NewAccessibleWriter returns a writer that turns tables and indented blocks into lines for screen readers: no columns, no
// marks, no indentation. A wrapped row has to be written in one call.
func NewAccessibleWriter(w io.Writer) io.Writer { return &accessibleWriter{w: w} }

type accessibleWriter struct {
	w    io.Writer
	rest []byte // an incomplete line
}

func (a *accessibleWriter) Write(p []byte) (int, error) {
	whole := bytes.ReplaceAll(p, []byte("\n"+strings.Repeat(" ", valueIndent)), []byte(" ")) // joins wrapped values
	a.rest = append(a.rest, whole...)
	for {
		line, rest, found := bytes.Cut(a.rest, []byte("\n"))
		if !found {
			return len(p), nil
		}
		a.rest = append([]byte(nil), rest...)
		if _, err := fmt.Fprintln(a.w, joinTableColumns(string(line))); err != nil {
			return 0, err
		}
	}
}

// joinTableColumns puts the first column before the others as their label.
func joinTableColumns(line string) string {
	indented := strings.HasPrefix(line, "  ")
	line = strings.TrimSpace(line)
	for mark, word := range map[string]string{
		"[  ]": "Waiting", "[..]": "Running", "[ok]": "Done", "[XX]": "Failed", "[--]": "Skipped",
	} {
		if rest, marked := strings.CutPrefix(line, mark+" "); marked {
			return word + ": " + rest
		}
	}
	columns := columnGap.Split(line, -1)
	if !indented || len(columns) < 2 {
		return strings.Join(columns, ", ")
	}
	return columns[0] + ": " + expandDurations(strings.Join(columns[1:], ", "))
}
