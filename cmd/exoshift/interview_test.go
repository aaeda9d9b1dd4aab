package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/interview"
	"exoshift/internal/app/rehearsal"
	"exoshift/internal/app/request"
	"exoshift/internal/app/run"
	"exoshift/internal/network"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/state"
	tuiwizard "exoshift/tui/wizard"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
)

type zoneRealm struct{ zone *simcloud.Zone }

func (z zoneRealm) OpenNetwork(context.Context, string) (network.Network, error) {
	return z.zone.Network(), nil
}

func (z zoneRealm) OpenAccess(context.Context, string) (*environment.Access, error) {
	return tokensOf(z.zone), nil
}

func (zoneRealm) Close() error { return nil }

// talking starts an interview about the example with a zone in memory, in virtual time. Its home is empty.
func talking(t *testing.T, world circumstances, then func(t *testing.T, c *interview.Backend, zone *simcloud.Zone)) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	virtuallyIn(t, world, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		dir, err := state.DraftsPath()
		if err != nil {
			t.Fatal(err)
		}
		draft, unlock, err := state.NewDraft(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		answers := wizard.NewAnswers()
		answers.Spec = s.Spec
		c := &interview.Backend{
			Draft: draft, Unlock: unlock, Answers: answers,
			Lookup: environment.LookupRehearsalSecret, Environment: zoneRealm{zone}, Cache: filepath.Join(home, "cache"),
		}
		defer func() {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}()
		then(t, c, zone)
	})
}

func secretsOf(t *testing.T, c *interview.Backend) wizard.Secrets {
	t.Helper()
	secrets, faults := local.ResolveSecrets(c.Answers.Spec, c.Lookup)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return secrets
}

func TestInterview_InstallsCluster(t *testing.T) {
	long(t)
	talking(t, circumstances{}, func(t *testing.T, c *interview.Backend, zone *simcloud.Zone) {
		i := c.NewInterview()
		secret, _ := environment.DefaultSecret("EXOSCALE_API_SECRET")
		reference, err := i.SaveSecret("exoscale.apiSecret", secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(i.Answers.Set("exoscale.apiSecret", reference, wizard.Typed), i.Save(i.Answers)); err != nil {
			t.Fatal(err)
		}
		secrets := secretsOf(t, c)
		if states, err := checked(t, i, secrets); err != nil || states["quotas"].State != provisioner.Done {
			t.Fatalf("the checks ended with %v, %v", states, err)
		}
		review, err := i.Review(t.Context(), i.Answers.Spec, secrets)
		if err != nil || len(review.Changes) < 30 || review.Minutes[0] < 20 || len(review.Actions) == 0 {
			t.Fatalf("the review is %+v, %v", review, err)
		}
		if made := zone.Mutations(); made != 0 {
			t.Errorf("%d mutating calls before the go", made)
		}
		var out bytes.Buffer
		d := &startScreen{
			std: cli.Streams{Out: &out, Err: os.Stderr}, open: func(context.Context) (*interview.Backend, error) { return c, nil },
			frontend: func(ctx context.Context, w tuiwizard.Options) (tuiwizard.Outcome, error) {
				i, err := w.Open(ctx, "")
				if err != nil {
					return tuiwizard.Outcome{}, err
				}
				answers := i.Answers.Copy() // as the screens do
				return tuiwizard.Outcome{Confirmed: true}, errors.Join(answers.Set("cluster.displayName", "Demo", wizard.Typed), i.Save(answers))
			},
		}
		if err := d.run(t.Context()); err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out.String()))
		}
		isInstalledFromItsOwnSecrets(t, c, secret)
	})
}

// isInstalledFromItsOwnSecrets requires that the folder is complete once the draft is gone.
func isInstalledFromItsOwnSecrets(t *testing.T, c *interview.Backend, secret string) {
	t.Helper()
	path, err := clusterdir.DefaultPath("c-demo-1")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := state.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := clusterdir.ReadAnswers(folder)
	if want := folder.Path(state.SecretsDir, "exoscale.apiSecret"); err != nil || spec.Exoscale.APISecret.File != want {
		t.Errorf("the answers in force lead to %+v, %v", spec.Exoscale.APISecret, err)
	}
	if spec.Cluster.DisplayName != "Demo" {
		t.Error("what was said last is not in force")
	}
	if kept, err := os.ReadFile(spec.Exoscale.APISecret.File); err != nil || string(kept) != secret {
		t.Errorf("the folder keeps another secret: %v", err)
	}
	if _, err := os.Stat(c.Draft.Path()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the draft is still there: %v", err)
	}
	if facts, err := folder.LoadFacts(); err != nil || facts.Installed.IsZero() {
		t.Errorf("it is not installed: %+v, %v", facts, err)
	}
}

func checked(t *testing.T, i *wizard.Interview, secrets wizard.Secrets) (map[string]wizard.CheckState, error) {
	t.Helper()
	var mu sync.Mutex
	states := map[string]wizard.CheckState{}
	err := i.Check(t.Context(), i.Answers.Spec, secrets, func(s wizard.CheckState) {
		mu.Lock()
		defer mu.Unlock()
		states[s.ID] = s
	})
	return states, err
}

func TestInterview_LeavingPrintsResume(t *testing.T) {
	talking(t, circumstances{}, func(t *testing.T, c *interview.Backend, zone *simcloud.Zone) {
		var out bytes.Buffer
		d := &startScreen{
			std: cli.Streams{Out: &out}, open: func(context.Context) (*interview.Backend, error) { return c, nil },
			frontend: func(ctx context.Context, w tuiwizard.Options) (tuiwizard.Outcome, error) {
				i, err := w.Open(ctx, "")
				if err != nil {
					return tuiwizard.Outcome{}, err
				}
				return tuiwizard.Outcome{}, i.Save(i.Answers)
			},
		}
		if err := d.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); !strings.Contains(text, c.Draft.Path()) || !strings.Contains(text, "exoshift install") {
			t.Errorf("told %q", text)
		}
		answers, err := interview.ReadDraft(c.Draft)
		if err != nil || answers.Spec.Cluster.ID != "c-demo-1" || zone.Mutations() != 0 {
			t.Errorf("left %+v, %v", answers, err)
		}
	})
}

func TestInterview_ExportKeepsForeignFile(t *testing.T) {
	talking(t, circumstances{}, func(t *testing.T, c *interview.Backend, _ *simcloud.Zone) {
		path, err := clusterdir.DefaultPath("c-demo-1.answers.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("somebody's"), 0o600); err != nil {
			t.Fatal(err)
		}
		i := c.NewInterview()
		reference, err := i.SaveSecret("exoscale.apiSecret", "s3cret")
		if err := errors.Join(err, i.Answers.Set("exoscale.apiSecret", reference, wizard.Typed), i.Save(i.Answers)); err != nil {
			t.Fatal(err)
		}
		first, err := i.Export(i.Answers)
		if err == nil {
			err = i.Answers.Set("sizing.workers.count", "4", wizard.Typed)
		}
		second, again := i.Export(i.Answers)
		if err := errors.Join(err, again); err != nil || first != second || first == path {
			t.Fatalf("exported to %s and %s, %v", first, second, err)
		}
		folder, err := clusterdir.CreateFor("", i.Answers.Spec)
		if err != nil {
			t.Fatal(err)
		}
		s := run.Run{Spec: i.Answers.Spec, Folder: folder}
		if err := c.MoveToFolder(&s); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(second)
		if spec, _ := answersfile.Parse(second, content); err != nil || spec.Exoscale.APISecret.File != folder.Path(state.SecretsDir, "exoscale.apiSecret") {
			t.Errorf("the file leads to %+v, %v", spec.Exoscale.APISecret, err)
		}
		if kept, err := os.ReadFile(path); err != nil || string(kept) != "somebody's" {
			t.Errorf("somebody's file is now %q, %v", kept, err)
		}
	})
}

// begunFolder is the folder of a partly created cluster.
func begunFolder(t *testing.T, path string, spec state.Spec, rehearsal bool) (folder state.Folder, answers []byte) {
	t.Helper()
	folder, err := state.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	journal, err := folder.OpenJournal(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	answers = answersfile.Export(spec, nil)
	facts := state.Facts{ClusterID: spec.Cluster.ID, Zone: spec.Exoscale.Zone, Rehearsal: rehearsal}
	err = errors.Join(journal.RecordIntent("ssh-key", spec.Cluster.ID), journal.Close(), folder.SaveFacts(facts), folder.Write(state.AnswersFile, answers))
	if err != nil {
		t.Fatal(err)
	}
	return folder, answers
}

// inForce requires these answers in the folder, and that the draft is kept or not.
func inForce(t *testing.T, folder state.Folder, want []byte, draft state.Draft, kept bool) {
	t.Helper()
	if content, err := folder.Read(state.AnswersFile); err != nil || !bytes.Equal(content, want) {
		t.Errorf("in force are, %v:\n%s", err, content)
	}
	if draft.Exists() != kept {
		t.Errorf("there is a draft: %v", !kept)
	}
}

func TestInterview_AppliesAcceptedAnswers(t *testing.T) {
	talking(t, circumstances{quotas: map[string]int{"instance": 20}}, func(t *testing.T, c *interview.Backend, _ *simcloud.Zone) {
		path, err := clusterdir.DefaultPath("c-demo-1")
		if err != nil {
			t.Fatal(err)
		}
		folder, before := begunFolder(t, path, c.Answers.Spec, false)
		i := c.NewInterview()
		secret, _ := environment.DefaultSecret("EXOSCALE_API_SECRET")
		reference, err := i.SaveSecret("exoscale.apiSecret", secret)
		err = errors.Join(err, i.Answers.Set("exoscale.apiSecret", reference, wizard.Typed), i.Answers.Set("sizing.workers.count", "30", wizard.Typed), i.Save(i.Answers))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := c.Apply(t.Context(), jsonDisplay(cli.Streams{Out: &out, Err: &out})); exit.Code(err) != exit.Quota {
			t.Errorf("%v\n%s", err, lastLines(out.String()))
		}
		inForce(t, folder, before, c.Draft, true)
		if _, err := folder.Read(state.SecretsDir + "/exoscale.apiSecret"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a secret of what was refused is in the folder: %v", err)
		}

		if err := errors.Join(i.Answers.Set("sizing.workers.count", "4", wizard.Typed), i.Save(i.Answers)); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		watch := writerFunc(func(line []byte) {
			if e := eventsOf(t, string(line))[0]; e.Step == "quotas" && e.State == provisioner.Done {
				stop()
			}
		})
		if err := c.Apply(ctx, jsonDisplay(cli.Streams{Out: watch, Err: &out})); exit.Code(err) != exit.Interrupted {
			t.Errorf("%v", err)
		}
		want := i.Answers.Spec
		want.Exoscale.APISecret.File = folder.Path(state.SecretsDir, "exoscale.apiSecret")
		inForce(t, folder, answersfile.Export(want, nil), c.Draft, false)
		if kept, err := os.ReadFile(want.Exoscale.APISecret.File); err != nil || string(kept) != secret {
			t.Errorf("the folder keeps another secret: %v", err)
		}
	})
}

func TestInterview_ComparesBeforeRehearsal(t *testing.T) {
	atHome(t)
	dir := filepath.Join(t.TempDir(), "cluster")
	spec := exampleSpec(t)
	folder, before := begunFolder(t, dir, spec, true)
	c, err := interview.NewRehearsal(t.Context(), rehearsal.Rehearsal{Request: request.Request{Dir: dir}, Speed: 600, Scenario: "happy"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	i := c.NewInterview()
	i.Answers.Spec = spec
	if err := errors.Join(i.Answers.Set("network.podCIDR", "10.132.0.0/14", wizard.Typed), i.Save(i.Answers)); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := c.Apply(t.Context(), jsonDisplay(cli.Streams{Out: &out, Err: &out})); exit.Code(err) != exit.Answers {
		t.Errorf("%v\n%s", err, lastLines(out.String()))
	}
	inForce(t, folder, before, c.Draft, true)
}
