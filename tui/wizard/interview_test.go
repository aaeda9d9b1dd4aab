package wizard

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exoshift/state"
	"exoshift/tui/app"
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

// startTime is the time at which every test begins.
var startTime = time.Date(2026, 5, 4, 14, 2, 0, 0, time.UTC)

// fakeInterview is an interview in memory; it records what it was given.
type fakeInterview struct {
	*wizard.Interview
	now     time.Time
	saved   []*wizard.Answers
	secrets map[string]string
	saveErr error  // error of every save
	folder  string // of the secrets
	calls   []string
}

// newInterview returns an interview about a new cluster, to which a test may add lookups and answers.
func newInterview() *fakeInterview {
	d := &fakeInterview{now: startTime, secrets: map[string]string{}}
	d.Interview = &wizard.Interview{
		Answers: wizard.NewAnswers(), DraftPath: "/data/you/.local/state/exoshift/.drafts/1",
		LookupEnv: func(name string) (string, bool) {
			value, set := map[string]string{
				"EXOSCALE_API_KEY": "EXOnothing", "EXOSCALE_API_SECRET": "nothing", "PULL_SECRET": newPullSecret(),
			}[name]
			return value, set
		},
		Save: func(a *wizard.Answers) error {
			if d.saveErr == nil {
				d.saved = append(d.saved, a)
			}
			return d.saveErr
		},
		SaveSecret: func(key, secret string) (string, error) {
			if d.saveErr != nil {
				return "", d.saveErr
			}
			d.secrets[key] = secret
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
		Check: func(_ context.Context, _ state.Spec, _ wizard.Secrets, emit func(wizard.CheckState)) error {
			emit(wizard.CheckState{ID: "credentials", Title: "Credentials", State: "done", Text: "valid"})
			return nil
		},
		Review: func(context.Context, state.Spec, wizard.Secrets) (wizard.Review, error) { return wizard.Review{}, nil },
		Export: func(*wizard.Answers) (string, error) { return "/data/you/c-demo-1.yaml", nil },
	}
	return d
}

// answer sets answers as if they had been typed.
func (d *fakeInterview) answer(t testing.TB, texts map[string]string) *fakeInterview {
	t.Helper()
	for key, text := range texts {
		if err := d.Answers.Set(key, text, wizard.Typed); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func completeAnswers() map[string]string {
	return map[string]string{
		"exoscale.apiKey": "env:EXOSCALE_API_KEY", "exoscale.apiSecret": "env:EXOSCALE_API_SECRET", "exoscale.zone": "ch-gva-2",
		"cluster.id": "c-demo-1", "cluster.baseDomain": "example.net",
		"openshift.version": "4.20.5", "openshift.sshKey": testSSHKey, "openshift.distribution": "ocp",
		"openshift.pullSecret": "env:PULL_SECRET",
	}
}

// testSSHKey is a public key without a known private one.
const testSSHKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f demo@example.net"

// addLookup adds a lookup that always returns the same result.
func (d *fakeInterview) addLookup(screen wizard.Screen, id string, keys []string, reply wizard.LookupResult, err error) *fakeInterview {
	d.Lookups = append(d.Lookups, wizard.Lookup{
		ID: id, Title: id, Screen: screen, Keys: keys,
		Run: func(context.Context, state.Spec, wizard.Secrets) (wizard.LookupResult, error) {
			d.calls = append(d.calls, id)
			return reply, err
		},
	})
	return d
}

func newZones() wizard.LookupResult {
	return wizard.LookupResult{Summary: "2 zones", Choices: map[string][]wizard.Choice{
		"exoscale.zone": {{Value: "ch-gva-2", Note: "Geneva"}, {Value: "de-fra-1", Note: "Frankfurt"}},
	}}
}

// driver drives the wizard of an interview.
type driver struct {
	tuitest.Driver[*driver]
	*model
	interview *fakeInterview
}

// openWizard opens the wizard of an interview at its first page.
func openWizard(t testing.TB, d *fakeInterview, width, height int, change func(*Options)) *driver {
	t.Helper()
	w := Options{
		Open: func(context.Context, string) (*wizard.Interview, error) { return d.Interview, nil },
		Out:  io.Discard, NoColor: true, Now: func() time.Time { return d.now },
	}
	if change != nil {
		change(&w)
	}
	d.folder = t.TempDir()
	o := &driver{model: newModel(t.Context(), w), interview: d}
	o.Driver = tuitest.Driver[*driver]{Self: o, Model: o.model, Now: &d.now}
	o.later, o.send = o.Later, o.Send
	o.Start(width, height)
	return o
}

// openPage opens a page.
func (o *driver) openPage(t testing.TB, screen wizard.Screen) *driver {
	t.Helper()
	for i, sheet := range o.pages {
		if sheet.screen == screen {
			o.Run(o.showPage(i))
			o.Run(o.session.TakeCommands())
			return o
		}
	}
	t.Fatalf("there is no screen %s", screen)
	return o
}

// holdCommands keeps what the session runs in the background from now on.
func (o *driver) holdCommands(t *testing.T) (held *[]tea.Cmd) {
	t.Helper()
	held = &[]tea.Cmd{}
	o.session.Spawn = func(work func(context.Context) tea.Msg) (tea.Cmd, context.CancelFunc) {
		cmd, cancel := app.NewSpawn(t.Context())(work)
		*held = append(*held, cmd)
		return nil, cancel
	}
	return held
}

func TestWizard_ResumesAtFirstOpenQuestion(t *testing.T) {
	d := newInterview()
	d.Resumed = true
	for key, value := range map[string]string{
		"exoscale.apiKey": "env:EXOSCALE_API_KEY", "exoscale.apiSecret": "env:EXOSCALE_API_SECRET", "exoscale.zone": "ch-gva-2", "cluster.id": "c-demo-1",
	} {
		if err := d.Answers.Set(key, value, wizard.Typed); err != nil {
			t.Fatal(err)
		}
	}
	o := openWizard(t, d, 80, 24, nil)
	if view := o.View(); !strings.Contains(view, "1 Access✓[2 Cluster●]3 Nodes○") || !strings.Contains(view, "› Base domain") {
		t.Errorf("the base domain is open:\n%s", view)
	}
	for key, value := range map[string]string{"cluster.baseDomain": "example.net", "openshift.version": "4.20.5"} {
		if err := d.Answers.Set(key, value, wizard.Typed); err != nil {
			t.Fatal(err)
		}
	}
	if view := openWizard(t, d, 80, 24, nil).View(); !strings.Contains(view, "[6 Secrets●]") {
		t.Errorf("the pull secret is open:\n%s", view)
	}
}

func TestWizard_OpensFirstScreen(t *testing.T) {
	o := openWizard(t, newInterview(), 80, 24, nil)
	if view := o.View(); !strings.Contains(view, "[1 Access●]") {
		t.Errorf("the first screen is not in front:\n%s", view)
	}
}
