package syn

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// oneShot is a Lieutenant that returns its manifest once.
type oneShot struct {
	Lieutenant
	fetched int
}

func (*oneShot) SignIn(ctx context.Context, show Show) error {
	if show == nil {
		return nil
	}
	return show(ctx, "https://id.example.net/")
}

func (*oneShot) GetCluster(context.Context, string) (state.SynCluster, error) {
	return state.SynCluster{ID: "c-1", InstallURL: "https://lieutenant.example.net/install/steward.json?token=secret"}, nil
}

func (l *oneShot) FetchInstallManifest(context.Context, string) ([]byte, error) {
	l.fetched++
	return []byte(`{"kind":"List"}`), nil
}

// deaf is a cluster that rejects everything.
type deaf struct{ GitOps }

func (deaf) Apply(context.Context, []byte) ([]state.AppliedObject, error) {
	return nil, fault.Newf(fault.Denied, "apply", "no")
}

// connectedTo is a connection of an installation with a folder, facts and a clock, besides those in of.
func connectedTo(t *testing.T, world *Clients, of Deps) *Connection {
	t.Helper()
	folder, err := state.Create(t.TempDir() + "/c-1")
	if err != nil {
		t.Fatal(err)
	}
	of.Spec = state.Default()
	of.Spec.Cluster = state.ClusterSpec{ID: "c-1", BaseDomain: "example.net"}
	of.Spec.Syn.LieutenantURL, of.Spec.Syn.Tenant = "https://lieutenant.example.net", "t-1"
	of.Folder, of.Clock, of.Facts = folder, wall{}, &state.FactsStore{}
	return New(of, world)
}

type wall struct{}

func (wall) Now() time.Time { return time.Now() }
func (wall) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func unheard(provisioner.Event) {}

func TestSteward_FetchesManifestOnce(t *testing.T) {
	t.Parallel()
	l := &oneShot{}
	c := connectedTo(t, &Clients{Lieutenant: l, Cluster: deaf{}}, Deps{Seal: "passphrase"})
	for range 2 {
		if err := c.steward.install(t.Context(), unheard); !fault.Is(err, fault.Denied) {
			t.Fatal(err)
		}
	}
	kept, err := c.Folder.ReadSealed(state.StewardFile, "passphrase")
	if l.fetched != 1 || err != nil || string(kept) != `{"kind":"List"}` {
		t.Errorf("fetched %d times, kept %q: %v", l.fetched, kept, err)
	}
	if _, err := os.Stat(c.Folder.Path(state.StewardFile + ".trial")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the trial is still there: %v", err)
	}
}

// wasteful is a Lieutenant whose answer is no manifest.
type wasteful struct {
	oneShot
	spends bool // the token
	failed error
}

func (w *wasteful) GetCluster(ctx context.Context, id string) (state.SynCluster, error) {
	seen, err := w.oneShot.GetCluster(ctx, id)
	if w.spends && w.fetched > 0 {
		seen.InstallURL = ""
	}
	return seen, err
}

func (w *wasteful) FetchInstallManifest(context.Context, string) ([]byte, error) {
	w.fetched++
	return nil, w.failed
}

func TestSteward_FetchFailureReportsToken(t *testing.T) {
	t.Parallel()
	lost := fault.Newf(fault.Transient, "fetch", "the answer was lost").WithHint("run again")
	refused := fault.Newf(fault.Conflict, "fetch", "it has ended").WithHint("have it reset")
	for name, c := range map[string]struct {
		spends     bool
		failed     error
		kind       fault.Kind
		says, hint string
	}{
		"the token was used": {true, lost, fault.Conflict, "used by this attempt: fetch: the answer was lost", "reset the bootstrap token of c-1"},
		"it was not used":    {false, lost, fault.Transient, "was not used: fetch: the answer was lost", "run again"},
		"it was refused":     {true, refused, fault.Conflict, "it has ended", "have it reset"},
	} {
		l := &wasteful{spends: c.spends, failed: c.failed}
		failure := connectedTo(t, &Clients{Lieutenant: l, Cluster: deaf{}}, Deps{Seal: "passphrase"}).steward.install(t.Context(), unheard)
		if !fault.Is(failure, c.kind) || !strings.Contains(failure.Error(), c.says) || !strings.Contains(fault.HintOf(failure), c.hint) || l.fetched != 1 {
			t.Errorf("%s: %v, hint %q after %d requests", name, failure, fault.HintOf(failure), l.fetched)
		}
	}
}

func TestSteward_RefusesFetchWithoutStorage(t *testing.T) {
	t.Parallel()
	l := &oneShot{}
	c := connectedTo(t, &Clients{Lieutenant: l, Cluster: deaf{}}, Deps{}) // no passphrase
	if err := c.steward.install(t.Context(), unheard); err == nil || l.fetched != 0 {
		t.Errorf("fetched %d times: %v", l.fetched, err)
	}
}

// shy is a Vault that requires a login.
type shy struct{ Vault }

func (shy) SignIn(ctx context.Context, show Show) error { return show(ctx, "https://id.example.net/") }

func (shy) GetSecret(context.Context, string) (map[string]string, error) { return nil, nil }

// A login may expire in the middle of an installation, too: the action needed has to be emitted.
func TestSyn_MissingSecretReportsLink(t *testing.T) {
	t.Parallel()
	c := connectedTo(t, &Clients{Vault: shy{}}, Deps{Show: func(context.Context, string) error { return nil }})
	for name, use := range map[string]func(provisioner.Report) error{
		"read an API key": func(report provisioner.Report) error {
			_, err := c.APIKeys.LoadAPIKey(t.Context(), report, assets.PolicyStorage)
			return err
		},
		"resolve a reference": func(report provisioner.Report) error {
			_, err := c.Catalog.NewResolver(t.Context(), report)(state.VaultSecret{Path: "t-1/c-1/registry", Key: "httpSecret"})
			if fault.Is(err, fault.NotFound) {
				return nil
			}
			return err
		},
	} {
		known := false
		err := use(func(e provisioner.Event) { known = known || strings.Contains(e.Hint, "https://id.example.net/") })
		if err != nil || !known {
			t.Errorf("%s: told %t, %v", name, known, err)
		}
	}
}

// repository records at each commit whether alerts are enabled in the facts.
type repository struct {
	Git
	noted   func() bool
	removed []bool
	early   bool
}

func (r *repository) Commit(_ context.Context, _ state.GitRepo, _ string, edits []state.YAMLEdit, _ string) (state.Difference, error) {
	for _, e := range edits {
		if e.Item == noOpsgenie {
			r.removed = append(r.removed, e.Remove)
		}
	}
	r.early = r.early || r.noted()
	return state.Difference{}, fault.Newf(fault.Transient, "push", "the host does not answer")
}

// If the program ended in between, alerts would never be enabled.
func TestOnCall_RecordsWorkingAlerts(t *testing.T) {
	t.Parallel()
	git := &repository{}
	c := connectedTo(t, &Clients{Git: git}, Deps{})
	git.noted = func() bool { return !c.Facts.Get().Syn.OnCall.IsZero() }
	if err := c.operations.onCall(t.Context(), unheard); !fault.Is(err, fault.Transient) {
		t.Fatal(err)
	}
	if git.early || git.noted() || !slices.Equal(git.removed, []bool{true}) {
		t.Errorf("noted before %t, after %t; removed %v", git.early, git.noted(), git.removed)
	}
}
