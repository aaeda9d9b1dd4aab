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
	"unicode"
	"unicode/utf8"

	"exoshift/provisioner"
)

// Narrator tells a run in sentences, one for each change, and says on demand how it stands. It is for screen readers and
// for terminals that know nothing but lines, and safe for concurrent use.
type Narrator struct {
	mu     sync.Mutex
	w      io.Writer
	board  *provisioner.Board
	tell   func(provisioner.Event)
	status func(io.Writer, *provisioner.Board)
}

// NewNarrator returns the narrator of a plan's run. status prints how the run stands.
func NewNarrator(w io.Writer, plan provisioner.Plan, status func(io.Writer, *provisioner.Board)) *Narrator {
	return &Narrator{w: w, board: provisioner.NewBoard(plan), tell: NewSpoken(w), status: status}
}

// Tell takes in an event.
func (n *Narrator) Tell(e provisioner.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.board.Fold(e)
	n.tell(e)
}

// WhileRunning says what can be typed during a run.
const WhileRunning = "While this runs, type s and Enter to hear how it stands. Ctrl-C stops it after the calls in flight; the same command goes on."

// Answer answers a line that was typed during a run.
func (n *Narrator) Answer(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "":
	case "s", "status":
		n.status(Aloud(n.w), n.board)
	default:
		fmt.Fprintln(n.w, WhileRunning)
	}
}

// NewSpoken returns a printer like NewPlain, in sentences without columns: no time of day, words in place of marks, and
// waits only when what was seen of them has changed.
func NewSpoken(w io.Writer) func(provisioner.Event) {
	p := &plain{w: w, steps: map[string]*running{}, told: map[string]string{}}
	p.spoken = true
	return p.print
}

// speak prints one sentence. What begins with two spaces is to be copied and stays as it is.
func (p *plain) speak(e provisioner.Event, column, words string) {
	if strings.HasPrefix(words, "  ") {
		fmt.Fprintln(p.w, Clean(words))
		return
	}
	if e.Type == provisioner.TypeWait && p.sameWait(e) {
		return
	}
	fmt.Fprintln(p.w, sentence(capital(parts(": ", spokenColumn(column), unabridged(Clean(words))))))
}

// sameWait tells whether a wait has seen nothing new.
func (p *plain) sameWait(e provisioner.Event) bool {
	now := e.What + "\n" + e.Last
	before := p.told["wait/"+e.Step]
	p.told["wait/"+e.Step] = now
	return now == before
}

// spokenColumn is what the first word of a plain line means, or "" if the sentence says it.
func spokenColumn(column string) string {
	switch column {
	case "..", "run", "object":
		return ""
	case "!":
		return "diagnosis"
	case "csr":
		return "certificate request"
	}
	return strings.ReplaceAll(Clean(column), "-", " ")
}

func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// unabridged writes durations out, which voices would spell.
func unabridged(text string) string {
	return regexp.MustCompile(`\b(\d+h\d\dm|\d+m\d\ds|\d+m|\d+s)\b`).ReplaceAllStringFunc(text, func(short string) string {
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
				words = append(words, count(part.n, part.unit))
			}
		}
		return cmp.Or(strings.Join(words, " "), short)
	})
}

// Aloud returns a writer that turns tables and indented blocks into lines that can be listened to: no columns, no
// marks, no indentation. A row that is wrapped has to be written as a whole.
func Aloud(w io.Writer) io.Writer { return &aloud{w: w} }

type aloud struct {
	w    io.Writer
	rest []byte // a line that has not ended
}

func (a *aloud) Write(p []byte) (int, error) {
	whole := bytes.ReplaceAll(p, []byte("\n"+strings.Repeat(" ", indent)), []byte(" ")) // what was wrapped
	a.rest = append(a.rest, whole...)
	for {
		line, rest, found := bytes.Cut(a.rest, []byte("\n"))
		if !found {
			return len(p), nil
		}
		a.rest = append([]byte(nil), rest...)
		if _, err := fmt.Fprintln(a.w, spokenLine(string(line))); err != nil {
			return 0, err
		}
	}
}

// spokenLine joins the columns of a line: the first one names what the others say.
func spokenLine(line string) string {
	indented := strings.HasPrefix(line, "  ")
	line = strings.TrimSpace(line)
	for mark, word := range map[string]string{
		"[  ]": "Waiting", "[..]": "Running", "[ok]": "Done", "[XX]": "Failed", "[--]": "Skipped",
	} {
		if rest, marked := strings.CutPrefix(line, mark+" "); marked {
			return word + ": " + rest
		}
	}
	columns := regexp.MustCompile(` {2,}`).Split(line, -1)
	if !indented || len(columns) < 2 {
		return strings.Join(columns, ", ")
	}
	return columns[0] + ": " + unabridged(strings.Join(columns[1:], ", "))
}
