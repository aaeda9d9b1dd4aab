package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/mattn/go-isatty"
	"golang.org/x/term"

	"exoshift/internal/app/environment"
	"exoshift/internal/console"
	"exoshift/internal/console/outlet"
	"exoshift/internal/console/prompt"
	"exoshift/provisioner/install/syn"
)

// Streams are those of the process. Results for people and JSON lines go to out, errors and warnings to err.
type Streams struct {
	In         io.Reader
	Out, Err   io.Writer
	Lines      *prompt.LineReader // reads in; nil before the first prompt
	Interrupts *InterruptHandler  // nil: only the context is cancelled
	Host       *environment.Host  // nil: one whose clock is the wall clock
}

// IsTerminal reports whether a person can be asked on a screen.
func (s Streams) IsTerminal() bool {
	return IsTerminal(s.In) && IsTerminal(s.Out) && os.Getenv("TERM") != "dumb"
}

// LinkPrinter prints the link to sign in; nil if nobody sees it.
func (s Streams) LinkPrinter() syn.Show {
	if !s.IsTerminal() {
		return nil
	}
	return func(_ context.Context, url string) error {
		fmt.Fprintf(s.Err, "Sign in in a browser:\n  %s\n", console.SanitizeLine(url))
		return nil
	}
}

// isDumbTerminal reports whether a terminal without cursor movement is both input and output.
func (s Streams) isDumbTerminal() bool {
	return os.Getenv("TERM") == "dumb" && IsTerminal(s.In) && IsTerminal(s.Out)
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	file, ok := stream.(interface{ Fd() uintptr })
	return ok && isatty.IsTerminal(file.Fd())
}

// LineReader returns one shared reader, so that no buffered input is lost between prompts.
func (s Streams) LineReader() *prompt.LineReader {
	if s.Lines == nil {
		return prompt.NewLineReader(s.In)
	}
	return s.Lines
}

// ReadLine returns a line, or the cause of ctx's end. The end of the input is an empty answer, never a confirmation.
func (s Streams) ReadLine(ctx context.Context) (string, error) {
	line, err := s.LineReader().Next(ctx)
	if errors.Is(err, prompt.ErrEnded) {
		return "", nil
	}
	return line, err
}

// hide turns off the echo until undo is called. In canonical mode a terminal truncates lines at 4095 characters, so it uses
// raw mode meanwhile; a pull secret may be longer.
func (s Streams) hide() (undo func()) {
	file, ok := s.In.(*os.File)
	if !ok {
		return func() {}
	}
	before, err := term.MakeRaw(int(file.Fd()))
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(int(file.Fd()), before) }
}

func (s Streams) listOutlets() (all []*outlet.Outlet) {
	for _, w := range []io.Writer{s.Out, s.Err} {
		if o, is := w.(*outlet.Outlet); is {
			all = append(all, o)
		}
	}
	return all
}

// IsClosed reports whether the reader of the standard output is gone.
func (s Streams) IsClosed() bool {
	o, is := s.Out.(*outlet.Outlet)
	return is && o.Err() != nil
}

// TerminalWriter returns the standard output itself, for a screen.
func (s Streams) TerminalWriter() io.Writer {
	if o, is := s.Out.(*outlet.Outlet); is {
		return o.File()
	}
	return s.Out
}

// StartRun decouples a run from its readers. events is where the complete record is; "" if there is none.
func (s Streams) StartRun(o output, events string) {
	for _, one := range s.listOutlets() {
		omitted := console.Omitted
		if o.IsJSON() && one == s.Out {
			omitted = console.OmittedJSON
		}
		one.StartQueue(func(lines int) []byte { return omitted(lines, events) })
	}
}

// EndRun prints pending output as long as it is read, and reports lost outputs.
func (s Streams) EndRun(events string, log func(line string)) {
	for _, o := range s.listOutlets() {
		o.Flush()
		if cause := o.Err(); cause != nil {
			s.reportLost(o, cause, events, log)
		}
	}
}

// reportLost reports to the remaining output and to the run's log.
func (s Streams) reportLost(o *outlet.Outlet, cause error, events string, log func(line string)) {
	line := fmt.Sprintf("the %s was closed before the run ended (%v); the run continued", o.Name(), cause)
	if errors.Is(cause, outlet.ErrUnread) {
		line = fmt.Sprintf("the %s was not read to its end; the run did not wait for the reader", o.Name())
	}
	if events != "" {
		line += ", and its events are in " + events
	}
	log(line)
	fmt.Fprintln(s.Err, "exoshift:", console.SanitizeLine(line))
	o.MarkReported()
}

// CheckWritten returns the error of a command whose purpose was its output. A closed pipe is not an error.
func (s Streams) CheckWritten() error {
	for _, o := range s.listOutlets() {
		if cause := o.Unreported(); cause != nil && !errors.Is(cause, syscall.EPIPE) {
			return fmt.Errorf("write to the %s: %w", o.Name(), cause)
		}
	}
	return nil
}
