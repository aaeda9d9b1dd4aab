package tui

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/state"
	"exoshift/tui/tuitest"
	"exoshift/wizard"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
)

const (
	pullSecretField = session.PullSecretKey
	apiKeyField     = "exoscale.apiKey"
	apiSecretField  = "exoscale.apiSecret"
)

// began is the time at which every test begins.
var began = time.Date(2026, 5, 4, 14, 2, 0, 0, time.UTC)

// desk is an interview in memory; it records what it was given.
type desk struct {
	*wizard.Interview
	now    time.Time
	saves  []*wizard.Answers
	kept   map[string]string
	broken error  // error of every save
	folder string // of the secrets
	asked  []string
}

// newDesk returns an interview about a new cluster, to which a test may add lookups and answers.
func newDesk() *desk {
	d := &desk{now: began, kept: map[string]string{}}
	d.Interview = &wizard.Interview{
		Answers: wizard.NewAnswers(), DraftPath: "/data/you/.local/state/exoshift/.drafts/1",
		LookupEnv: func(name string) (string, bool) {
			value, set := map[string]string{
				"EXOSCALE_API_KEY": "EXOnothing", "EXOSCALE_API_SECRET": "nothing", "PULL_SECRET": realPullSecret(),
			}[name]
			return value, set
		},
		Save: func(a *wizard.Answers) error {
			if d.broken == nil {
				d.saves = append(d.saves, a)
			}
			return d.broken
		},
		SaveSecret: func(key, secret string) (string, error) {
			if d.broken != nil {
				return "", d.broken
			}
			d.kept[key] = secret
			path := filepath.Join(d.folder, key)
			return "file:" + path, os.WriteFile(path, []byte(secret), 0o600)
		},
		Estimate: func(spec state.Spec) wizard.Estimate {
			machines := spec.Sizing.ControlPlane.Count + spec.Sizing.Infra.Count + spec.Sizing.Storage.Count + spec.Sizing.Workers.Count + 1
			return wizard.Estimate{
				Hour: float64(machines) / 4, Month: float64(machines) * 182.5, Date: "2026-05-01", Machines: machines,
				Needs: map[string]int{"instance": machines, "elastic-ip": 2},
			}
		},
		Check: func(_ context.Context, _ state.Spec, _ wizard.Secrets, tell func(wizard.CheckState)) error {
			tell(wizard.CheckState{ID: "credentials", Title: "Credentials", State: "done", Text: "valid"})
			return nil
		},
		Review: func(context.Context, state.Spec, wizard.Secrets) (wizard.Review, error) { return wizard.Review{}, nil },
		Export: func(*wizard.Answers) (string, error) { return "/data/you/c-demo-1.yaml", nil },
	}
	return d
}

// answer sets answers as if they had been typed.
func (d *desk) answer(t testing.TB, texts map[string]string) *desk {
	t.Helper()
	for key, text := range texts {
		if err := d.Answers.Set(key, text, wizard.Typed); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func whole() map[string]string {
	return map[string]string{
		"exoscale.apiKey": "env:EXOSCALE_API_KEY", "exoscale.apiSecret": "env:EXOSCALE_API_SECRET", "exoscale.zone": "ch-gva-2",
		"cluster.id": "c-demo-1", "cluster.baseDomain": "example.net",
		"openshift.version": "4.20.5", "openshift.sshKey": testKey, "openshift.distribution": "ocp",
		"openshift.pullSecret": "env:PULL_SECRET",
	}
}

// testKey is a public key without a known private one.
const testKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f demo@example.net"

// inquires adds a lookup that always returns the same result.
func (d *desk) inquires(screen wizard.Screen, id string, keys []string, reply wizard.LookupResult, err error) *desk {
	d.Lookups = append(d.Lookups, wizard.Lookup{
		ID: id, Title: id, Screen: screen, Keys: keys,
		Run: func(context.Context, state.Spec, wizard.Secrets) (wizard.LookupResult, error) {
			d.asked = append(d.asked, id)
			return reply, err
		},
	})
	return d
}

func zones() wizard.LookupResult {
	return wizard.LookupResult{Summary: "2 zones", Choices: map[string][]wizard.Choice{
		"exoscale.zone": {{Value: "ch-gva-2", Note: "Geneva"}, {Value: "de-fra-1", Note: "Frankfurt"}},
	}}
}

// operator drives a wizard without a terminal: it presses keys and runs the background commands one after the other. The time
// only advances by pass.
type operator struct {
	*wizardModel
	desk    *desk
	waiting []alarm
	quit    bool
}

// alarm is a message that is due at a time.
type alarm struct {
	at      time.Time
	message tea.Msg
}

// sit opens the wizard of a desk at its first page.
func sit(t testing.TB, d *desk, width, height int, change func(*Wizard)) *operator {
	t.Helper()
	w := Wizard{
		Open: func(context.Context, string) (*wizard.Interview, error) { return d.Interview, nil },
		Out:  io.Discard, NoColor: true, Now: func() time.Time { return d.now },
	}
	if change != nil {
		change(&w)
	}
	d.folder = t.TempDir()
	o := &operator{wizardModel: newWizardModel(t.Context(), w), desk: d}
	o.later = func(pause time.Duration, message tea.Msg) tea.Cmd {
		o.waiting = append(o.waiting, alarm{d.now.Add(pause), message})
		return nil
	}
	o.send = o.tell
	o.tell(tea.WindowSizeMsg{Width: width, Height: height})
	o.do(o.Init())
	return o
}

// tell sends the wizard a message and runs the commands that it returns.
func (o *operator) tell(message tea.Msg) {
	_, cmd := o.Update(message)
	o.do(cmd)
}

// do runs a command and sends its message to the wizard.
func (o *operator) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch m := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range m {
			o.do(cmd)
		}
	case tea.QuitMsg:
		o.quit = true
	default:
		o.tell(m)
	}
}

// pass advances the time.
func (o *operator) pass(d time.Duration) {
	end := o.desk.now.Add(d)
	for {
		slices.SortStableFunc(o.waiting, func(a, b alarm) int { return a.at.Compare(b.at) })
		if len(o.waiting) == 0 || o.waiting[0].at.After(end) {
			break
		}
		next := o.waiting[0]
		o.waiting = o.waiting[1:]
		o.desk.now = next.at
		o.tell(next.message)
	}
	o.desk.now = end
}

// press presses keys by their names, such as "enter", "alt+1" or "x".
func (o *operator) press(keys ...string) *operator {
	for _, k := range keys {
		o.tell(tuitest.NewKey(k))
	}
	return o
}

func (o *operator) types(text string) *operator {
	for _, r := range text {
		o.tell(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
	}
	return o
}

func (o *operator) pastes(text string) *operator {
	o.tell(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true})
	return o
}

// at opens a screen.
func (o *operator) at(t testing.TB, screen wizard.Screen) *operator {
	t.Helper()
	for i, sheet := range o.pages {
		if sheet.screen == screen {
			o.do(o.showPage(i))
			o.do(o.session.takeCommands())
			return o
		}
	}
	t.Fatalf("there is no screen %s", screen)
	return o
}

func TestAnInterviewThatGoesOnOpensAtTheFirstQuestionThatIsOpen(t *testing.T) {
	d := newDesk()
	d.Resumed = true
	for key, value := range map[string]string{
		"exoscale.apiKey": "env:EXOSCALE_API_KEY", "exoscale.apiSecret": "env:EXOSCALE_API_SECRET", "exoscale.zone": "ch-gva-2", "cluster.id": "c-demo-1",
	} {
		if err := d.Answers.Set(key, value, wizard.Typed); err != nil {
			t.Fatal(err)
		}
	}
	o := sit(t, d, 80, 24, nil)
	if view := o.View(); !strings.Contains(view, "1 Access✓[2 Cluster●]3 Nodes○") || !strings.Contains(view, "› Base domain") {
		t.Errorf("the base domain is open:\n%s", view)
	}
	for key, value := range map[string]string{"cluster.baseDomain": "example.net", "openshift.version": "4.20.5"} {
		if err := d.Answers.Set(key, value, wizard.Typed); err != nil {
			t.Fatal(err)
		}
	}
	if view := sit(t, d, 80, 24, nil).View(); !strings.Contains(view, "[6 Secrets●]") {
		t.Errorf("the pull secret is open:\n%s", view)
	}
}

func TestAnInterviewBeginsAtItsFirstScreen(t *testing.T) {
	o := sit(t, newDesk(), 80, 24, nil)
	if view := o.View(); !strings.Contains(view, "[1 Access●]") {
		t.Errorf("the first screen is not in front:\n%s", view)
	}
}
