package checks

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"exoshift/tui/tuitest"
	"exoshift/wizard/reach"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"
)

// outcome holds the return values of Check.
type outcome struct {
	report reach.Report
	err    error
}

// runOnTerminal runs the screen in a terminal.
func runOnTerminal(ctx context.Context, term *tuitest.Terminal, g *fakeNetwork) <-chan outcome {
	g.In, g.Out, g.Now = term.TTY, term.TTY, nil
	end := make(chan outcome, 1)
	go func() {
		report, err := runScreen(ctx, g.Options)
		end <- outcome{report, err}
	}()
	return end
}

func TestRun_RestoresTerminal(t *testing.T) {
	term, g := tuitest.NewTerminal(t), newNetwork(reach.Workstation)
	end := runOnTerminal(t.Context(), term, g)
	term.Await(t, "9/9")
	term.Press(t, "c")
	term.Await(t, "\x1b]52;c;")
	term.Press(t, "q")
	if left := <-end; left.err != nil || len(left.report.Results) != 9 {
		t.Errorf("%v, %d results", left.err, len(left.report.Results))
	}
	term.Await(t, tuitest.LeaveScreen)
}

func TestRun_WaitsForRuns(t *testing.T) {
	for name, leave := range map[string]func(*testing.T, *tuitest.Terminal, context.CancelCauseFunc){
		"asked": func(t *testing.T, term *tuitest.Terminal, _ context.CancelCauseFunc) {
			term.Press(t, "q")
			term.Await(t, "Quit?")
			term.Press(t, "y")
			term.Await(t, "temporary resources")
		},
		"insisting": func(t *testing.T, term *tuitest.Terminal, _ context.CancelCauseFunc) {
			term.Press(t, "\x03")
			term.Await(t, "Quit?")
			term.Press(t, "\x03")
			term.Await(t, "ENDING")
			term.Press(t, "\x03")
			term.Await(t, tuitest.LeaveScreen)
		},
		"interrupted": func(_ *testing.T, _ *tuitest.Terminal, cancel context.CancelCauseFunc) { cancel(errors.New("hung up")) },
		"hung up":     func(t *testing.T, term *tuitest.Terminal, _ context.CancelCauseFunc) { term.HangUp(t) },
	} {
		t.Run(name, func(t *testing.T) {
			term, g := tuitest.NewTerminal(t), newNetwork(reach.Workstation)
			cancelled, tidied, gone := make(chan struct{}), make(chan struct{}), atomic.Bool{}
			g.Run = func(ctx context.Context, _ string, _ []string, emit func(reach.Result)) error {
				emit(g.result(reach.Workstation, g.Checks[0]))
				<-ctx.Done()
				close(cancelled)
				<-tidied // remote resources are being removed
				gone.Store(true)
				return ctx.Err()
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			end := runOnTerminal(ctx, term, g)
			term.Await(t, "1/1")
			leave(t, term, cancel)
			<-cancelled
			tuitest.CheckPending(t, end)
			close(tidied)
			if left := <-end; !gone.Load() || len(left.report.Results) != 1 {
				t.Errorf("gone is %v, and there are %d results", gone.Load(), len(left.report.Results))
			}
		})
	}
}

func TestRun_Panic(t *testing.T) {
	term, g := tuitest.NewTerminal(t), newNetwork(reach.Workstation)
	g.Run = func(context.Context, string, []string, func(reach.Result)) error { panic("the prober is broken") }
	if left := <-runOnTerminal(t.Context(), term, g); left.err == nil || !strings.Contains(left.err.Error(), "the prober is broken") {
		t.Errorf("a panic returns %v", left.err)
	}
	term.Await(t, tuitest.LeaveScreen)
}

// screenKeys are the keys of the screen of checks.
var screenKeys = strings.Fields("r R w x z a / e f9 c f ? f1 enter esc up down left right tab shift+tab pgup pgdown home end g G j k y n " +
	"backspace space ctrl+u alt+x alt+d 1 9 世 👩‍👩‍👧‍👦 ctrl+l")

func TestScreen_AnyInput(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := func(name string) string { return tuitest.DrawText().Draw(r, name) }
		g := newNetwork(rapid.SampledFrom([][]string{{}, {reach.Workstation}, {reach.Workstation, reach.Zone}, {"ssh:" + tuitest.Hostile, "", "x"}}).Draw(r, "vantages")...)
		g.ASCII, g.Title = rapid.Bool().Draw(r, "ascii"), text("title")
		g.Checks = g.Checks[:rapid.IntRange(0, len(g.Checks)).Draw(r, "checks")]
		for i := range g.Checks {
			g.Checks[i].Title, g.Checks[i].URL, g.Checks[i].Reason = text("title"), text("url"), text("reason")
		}
		g.Run = func(_ context.Context, _ string, _ []string, emit func(reach.Result)) error {
			for range rapid.IntRange(0, 5).Draw(r, "results") {
				emit(drawResult(r))
			}
			return errors.New(text("error"))
		}
		width, height := rapid.IntRange(0, 210).Draw(r, "width"), rapid.IntRange(0, 65).Draw(r, "height")
		i := openScreen(g, width, height)
		for _, key := range rapid.SliceOfN(rapid.SampledFrom(screenKeys), 1, 40).Draw(r, "keys") {
			if i.Press(key); rapid.IntRange(0, 9).Draw(r, "resize") == 0 {
				width, height = rapid.IntRange(0, 210).Draw(r, "width"), rapid.IntRange(0, 65).Draw(r, "height")
				i.Send(tea.WindowSizeMsg{Width: width, Height: height})
			}
			tuitest.CheckScreen(r, i.View(), width, height)
		}
		i.Advance(time.Minute)
		i.runner.buildReport()
	})
}

// drawResult draws also results that no prober would report.
func drawResult(r *rapid.T) reach.Result {
	text := func(name string) string { return tuitest.DrawText().Draw(r, name) }
	ids := []string{"NET-RH-001", "NET-RH-002", "CUSTOM-1", "", tuitest.Hostile}
	layers := rapid.SampledFrom([]reach.Layer{reach.LayerOK, reach.LayerFail, reach.LayerNone, "", tuitest.Hostile})
	result := reach.Result{
		ID: rapid.SampledFrom(ids).Draw(r, "id"), Target: text("target"), Group: text("group"), Hint: text("hint"), Owner: text("owner"),
		Verdict:  rapid.SampledFrom([]reach.Verdict{reach.OK, reach.Warn, reach.Fail, reach.Skipped, "", tuitest.Hostile}).Draw(r, "verdict"),
		Class:    rapid.SampledFrom([]reach.Class{"", reach.Untrusted, reach.TCPTimeout, reach.Slow, reach.ServerError, tuitest.Hostile}).Draw(r, "class"),
		Layers:   reach.Layers{DNS: layers.Draw(r, "dns"), TCP: layers.Draw(r, "tcp"), TLS: layers.Draw(r, "tls"), HTTP: layers.Draw(r, "http")},
		Evidence: map[string]string{reach.EvidenceIssuer: text("issuer"), reach.EvidenceTime: text("time"), text("key"): text("value")},
	}
	if rapid.Bool().Draw(r, "bare") {
		result.Evidence = nil
	}
	return result
}

// BenchmarkKeyToFrame handles a key or a result on the screen of five hundred services and draws it. The budget is 16 ms
// for 99 of 100.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		for _, change := range []bool{false, true} {
			b.Run(fmt.Sprintf("%dx%d-%s", size[0], size[1], map[bool]string{true: "result", false: "key"}[change]), func(b *testing.B) { benchmarkKeys(b, size, change) })
		}
	}
}

func benchmarkKeys(b *testing.B, size [2]int, change bool) {
	g := newLargeNetwork(500)
	for n, check := range g.Checks {
		if n%3 == 0 {
			g.setResult(reach.Workstation, check.ID, tuitest.Dropped())
		}
	}
	i := openScreen(g, size[0], size[1])
	messages := []tea.Msg{tuitest.NewKey("down"), tuitest.NewKey("a"), tuitest.NewKey("pgdown"), tuitest.NewKey("tab")}
	i.runner.runs[0].running = true
	var took, computed []time.Duration
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for b.Loop() {
		message := messages[len(took)%len(messages)]
		if change {
			message = probeResultMsg{0, i.runner.runs[0].generation, g.result(reach.Workstation, g.Checks[len(took)%500])}
		}
		before, computing := time.Now(), tuitest.ThreadTime(b)
		i.Update(message)
		_ = i.View()
		took, computed = append(took, time.Since(before)), append(computed, tuitest.ThreadTime(b)-computing)
	}
	slices.Sort(took)
	slices.Sort(computed)
	b.ReportMetric(computed[len(computed)*99/100].Seconds()*1000, "p99-cpu-ms") // excludes other processes of the machine
	b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "p99-ms")
}
