package dashboard

import (
	"io"
	"testing"
	"time"

	"exoshift/provisioner"
	"exoshift/tui/tuitest"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"
)

// anything draws also events that no run would emit.
func anything(t *rapid.T) provisioner.Event {
	text := func(name string) string { return tuitest.DrawText().Draw(t, name) }
	moment := began.Add(time.Duration(rapid.Int64Range(-1e15, 1e15).Draw(t, "time")))
	types := []provisioner.Type{
		provisioner.TypeRun, provisioner.TypeStep, provisioner.TypeWait, provisioner.TypeBootstrap, provisioner.TypeEtcd,
		provisioner.TypeNode, provisioner.TypeCSR, provisioner.TypeObject, provisioner.TypeProbe, provisioner.TypeStage,
		provisioner.TypeJournal, provisioner.TypeVersion, provisioner.TypeOperator, provisioner.TypeDiagnosis, "unheard-of",
	}
	e := provisioner.Event{
		Time: moment, Seq: rapid.IntRange(-5, 500).Draw(t, "seq"), Type: rapid.SampledFrom(types).Draw(t, "type"),
		Phase: text("phase"), Step: rapid.OneOf(tuitest.DrawText(), rapid.SampledFrom([]string{"wait-bootstrap", "compute"})).Draw(t, "step"),
		State: text("state"), Text: text("text"), Hint: text("hint"), Result: text("result"), What: text("what"),
		Last: text("last"), Name: text("name"), Role: text("role"), Node: text("node"), Decision: text("decision"),
		Reason: text("reason"), Kind: text("kind"), Action: text("action"),
		Machine: text("machine"), Client: text("client"), Serving: text("serving"), Confidence: text("confidence"),
		Evidence: rapid.SliceOfN(tuitest.DrawText(), 0, 4).Draw(t, "evidence"),
		Limit:    rapid.Float64().Draw(t, "limit"), Usual: rapid.Float64().Draw(t, "usual"),
	}
	if rapid.Bool().Draw(t, "since") {
		e.Since = &moment
	}
	if rapid.Bool().Draw(t, "has percent") {
		percent := rapid.IntRange(-1000, 1000).Draw(t, "percent")
		e.Percent = &percent
	}
	for range rapid.IntRange(0, 5).Draw(t, "members") {
		e.Members = append(e.Members, provisioner.Member{Name: text("member"), State: text("member state"), Revision: rapid.Int().Draw(t, "revision")})
	}
	return e
}

var anyKey = rapid.SampledFrom([]string{
	"1", "2", "3", "4", "5", "6", "7", "8", "l", "/", "x", "tab", "?", "d", "w", "k", "j", "down", "g", " ", "q", "esc", "enter", "ctrl+c",
})

func TestView_AnyEventsAndSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := newDashboard(Options{
			Title: tuitest.DrawText().Draw(t, "title"), Subtitle: tuitest.DrawText().Draw(t, "subtitle"), ResumeCommand: tuitest.DrawText().Draw(t, "resume"),
			Plan: demoPlan(), Nodes: machines(), Out: io.Discard, NoColor: true, ASCII: rapid.Bool().Draw(t, "ascii"), Stop: func() {},
			Speed: rapid.Float64().Draw(t, "speed"),
		})
		for range rapid.IntRange(0, 12).Draw(t, "events") {
			d.Update(eventsMsg{anything(t)})
		}
		for range rapid.IntRange(1, 6).Draw(t, "actions") {
			width, height := rapid.IntRange(0, 220).Draw(t, "width"), rapid.IntRange(0, 70).Draw(t, "height")
			d.Update(tea.WindowSizeMsg{Width: width, Height: height})
			press(d, anyKey.Draw(t, "key"))
			tuitest.CheckScreen(t, d.View(), width, height)
		}
	})
}
