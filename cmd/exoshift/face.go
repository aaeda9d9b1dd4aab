package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"exoshift/internal/console"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/state"
	"exoshift/tui"
)

// streams are the process's own. Results for people and JSON lines go to out, complaints to err.
type streams struct {
	in         io.Reader
	out, err   io.Writer
	lines      *console.Lines // what is typed on in; nil: nobody has asked for it yet
	interrupts *interrupts    // nil: there is no Ctrl-C but that of the context
}

// terminal tells whether a person sits at both ends and the terminal can move its cursor.
func (s streams) terminal() bool {
	return isTerminal(s.in) && isTerminal(s.out) && os.Getenv("TERM") != "dumb"
}

// output is the value of --output.
type output string

const (
	outputAuto  output = "auto"
	outputTUI   output = "tui"
	outputPlain output = "plain"
	outputJSON  output = "json"
)

// resolve turns auto into what suits the streams.
func (o output) resolve(std streams) (output, error) {
	switch o {
	case outputAuto:
		if std.terminal() {
			return outputTUI, nil
		}
		return outputPlain, nil
	case outputTUI:
		if !std.terminal() {
			return "", usageError{fmt.Errorf("--output tui needs a terminal; use plain or json")}
		}
		return o, nil
	case outputPlain, outputJSON:
		return o, nil
	}
	return "", usageError{fmt.Errorf("--output %s: it is auto, tui, plain or json", o)}
}

func (o output) json() bool { return o == outputJSON }

// face shows a run: it is given every event, and shows them while during runs its body.
type face struct {
	emit   func(provisioner.Event)
	during func(body func()) error
}

func (o output) face(ctx context.Context, s session, plan provisioner.Plan, std streams, stop func()) face {
	switch o {
	case outputTUI:
		return dashboard(ctx, s, plan, std, stop)
	case outputAccessible:
		return s.spoken(ctx, plan, std)
	case outputJSON:
		return lines(console.NewJSON(std.out))
	}
	return lines(console.NewPlain(std.out))
}

func lines(emit func(provisioner.Event)) face {
	return face{emit: emit, during: func(body func()) error { body(); return nil }}
}

// dashboard runs the body beside the terminal interface. Leaving it early, or the end of ctx, stops the body, which is
// waited for; if the screen breaks, the body goes on in plain lines: the work never depends on the life of its screen.
func dashboard(ctx context.Context, s session, plan provisioner.Plan, std streams, stop func()) face {
	events, closed := make(chan provisioner.Event, 256), make(chan struct{})
	plain := console.NewPlain(std.out)
	return face{
		emit: func(e provisioner.Event) {
			select {
			case <-closed:
				plain(e)
			default:
				events <- e // heard to the end, even after the screen is gone
			}
		},
		during: func(body func()) error {
			done := make(chan struct{})
			go func() {
				defer close(done)
				body()
				close(events)
			}()
			err := tui.Run(ctx, s.dashboard(plan, events, std, stop))
			close(closed)
			if errors.Is(err, tui.ErrLeft) || ctx.Err() != nil {
				stop()
				err = nil
			}
			<-done
			return err
		},
	}
}

// subtitle names the zone and the release: once it is known the one that a channel stands for.
func subtitle(folder state.Folder, spec state.Spec) string {
	version := spec.OpenShift.Version
	if facts, err := folder.Facts(); err == nil {
		version = cmp.Or(facts.OpenShiftVersion, version)
	}
	return spec.Exoscale.Zone + " · " + version
}

func (s session) dashboard(plan provisioner.Plan, events <-chan provisioner.Event, std streams, stop func()) tui.Options {
	return tui.Options{
		Title:         s.spec.Cluster.ID,
		Subtitle:      subtitle(s.folder, s.spec),
		Plan:          plan,
		Nodes:         s.spec.Nodes(),
		Events:        events,
		Stop:          stop,
		ApproveKeys:   s.approveNewKeys,
		Now:           s.net.Clock.Now,
		Speed:         s.speed,
		In:            std.in,
		Out:           std.screen(),
		ASCII:         s.options.ascii,
		ResumeCommand: s.where.Resume,
		Handover:      func() handover.Report { return handedOver(s.folder, s.spec, !s.temporary) },
	}
}
