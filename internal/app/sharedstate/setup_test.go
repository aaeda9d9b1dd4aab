package sharedstate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"filippo.io/age"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/sharedstate"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/objects/sharedstore"
	"exoshift/state"
	"exoshift/state/lease"
)

const (
	zoneName = "ch-gva-2"
	endpoint = "sos-ch-gva-2.exo.io"
	key      = "EXOowner"
	secret   = "owner-secret"
)

// team is a simulated zone, in which a machine sets shared state up.
type team struct {
	*testing.T
	zone      *simcloud.Zone
	recipient string
	variables map[string]string
}

func inTeam(t *testing.T, options simcloud.Options, test func(*team)) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("XDG_STATE_HOME", home)
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, "identity.txt")
	if err := os.WriteFile(file, []byte(identity.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		options.Zone, options.Key, options.Secret = zoneName, key, secret
		zone, err := simcloud.Open(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		w := &team{T: t, zone: zone, recipient: identity.Recipient().String(), variables: map[string]string{
			"EXOSCALE_API_KEY": key, "EXOSCALE_API_SECRET": secret, "AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, sharedstate.IdentityVariable: file,
		}}
		defer func() { w.must(zone.Close()) }()
		test(w)
	})
}

func (w *team) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *team) access(address string) sharedstate.Access {
	w.Helper()
	at, err := sharedstate.ParseAddress(address)
	w.must(err)
	return sharedstate.Access{Address: at, Net: w.zone.Network(), Lookup: func(name string) (string, bool) {
		value, given := w.variables[name]
		return value, given
	}}
}

const address = "s3://fleet/prod?endpoint=https://" + endpoint

// storage is a client of the object storage of the zone, with any key.
func (w *team) storage(key, secret string) *minio.Client {
	w.Helper()
	client, err := minio.New(endpoint, &minio.Options{
		Creds: credentials.NewStaticV4(key, secret, ""), Secure: true, Region: zoneName, BucketLookup: minio.BucketLookupPath,
		Transport: w.zone.Network().NewTransport(),
	})
	w.must(err)
	return client
}

// setUp sets shared state up and returns the key that it made.
func (w *team) setUp() (key, secret string) {
	w.Helper()
	file, err := w.access(address).Initialize(w.Context(), []string{w.recipient}, "")
	w.must(err)
	content, err := os.ReadFile(file)
	w.must(err)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		w.Errorf("the file of the key has mode %v (%v)", info.Mode(), err)
	}
	for line := range strings.Lines(string(content)) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), "="); name {
		case "AWS_ACCESS_KEY_ID":
			key = value
		case "AWS_SECRET_ACCESS_KEY":
			secret = value
		}
	}
	return key, secret
}

// TestInitialize_KeyIsForSharedStateAlone: with the key alone a run works on a cluster, and nothing else can be done.
func TestInitialize_KeyIsForSharedStateAlone(t *testing.T) {
	inTeam(t, simcloud.Options{}, func(w *team) {
		ctx := w.Context()
		key, secret := w.setUp()
		owner := w.storage(w.variables["EXOSCALE_API_KEY"], w.variables["EXOSCALE_API_SECRET"])
		w.must(owner.MakeBucket(ctx, "other", minio.MakeBucketOptions{}))
		w.variables = map[string]string{"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, sharedstate.IdentityVariable: w.variables[sharedstate.IdentityVariable]}
		access := w.access(address)
		w.must(access.Run(ctx, "c-demo-1", "install", func(lease.Holder) {}, func(_ context.Context, s *sharedstate.Session) error {
			return errors.Join(s.Folder.Write("secrets/pull", []byte("very-secret")), s.Workspace.Sync())
		}))
		w.must(access.Read(ctx, "c-demo-1", func(folder state.Folder, _ int) error {
			content, err := folder.Read("secrets/pull")
			if string(content) != "very-secret" {
				w.Errorf("read %q", content)
			}
			return err
		}))

		restricted := w.storage(key, secret)
		_, listed := restricted.ListBuckets(ctx)
		_, written := restricted.PutObject(ctx, "other", "x", strings.NewReader("x"), 1, minio.PutObjectOptions{})
		for action, err := range map[string]error{
			"list buckets":              listed,
			"write to another bucket":   written,
			"create a bucket":           restricted.MakeBucket(ctx, "third", minio.MakeBucketOptions{}),
			"delete the bucket":         restricted.RemoveBucket(ctx, "fleet"),
			"suspend the versions":      restricted.SuspendVersioning(ctx, "fleet"),
			"open the bucket to others": restricted.SetBucketPolicy(ctx, "fleet", `{"default-service-strategy":"allow","services":{}}`),
		} {
			if minio.ToErrorResponse(err).Code != minio.AccessDenied {
				w.Errorf("%s: %v, want that it is denied", action, err)
			}
		}
		cloud, err := exoscale.New(w.zone.Network(), zoneName, key, secret, state.NoJournal{})
		w.must(err)
		defer cloud.Close()
		if _, _, err := cloud.EnsureSecurityGroup(ctx, state.SecurityGroup{Name: "theirs", Description: "x"}); !fault.Is(err, fault.Denied) {
			w.Errorf("create a security group: %v, want that it is denied", err)
		}
		if _, _, err := cloud.EnsureRole(ctx, state.IAMRole{Name: "wider", Policy: state.IAMPolicy{DefaultServiceStrategy: "allow"}}); !fault.Is(err, fault.Denied) {
			w.Errorf("create a role: %v, want that it is denied", err)
		}
	})
}

func TestInitialize_IsIdempotent(t *testing.T) {
	inTeam(t, simcloud.Options{}, func(w *team) {
		ctx, access := w.Context(), w.access(address)
		missing, err := access.ListMissing(ctx, []string{w.recipient}, "")
		w.must(err)
		if len(missing.Changes) != 5 || len(missing.Notes) != 0 {
			w.Errorf("missing is %q, and it notes %q", missing.Changes, missing.Notes)
		}
		first, _ := w.setUp()
		versions, err := w.storage(key, secret).GetBucketVersioning(ctx, "fleet")
		w.must(err)
		locks, err := w.storage(key, secret).GetBucketVersioning(ctx, "fleet-locks")
		w.must(err)
		if !versions.Enabled() || locks.Enabled() {
			w.Errorf("versions are kept of states: %t, of locks: %t", versions.Enabled(), locks.Enabled())
		}
		if missing, err = access.ListMissing(ctx, []string{w.recipient}, ""); err != nil || len(missing.Changes)+len(missing.Notes) > 0 {
			w.Errorf("missing is %q, and it notes %q (%v)", missing.Changes, missing.Notes, err)
		}
		if second, _ := w.setUp(); second != first {
			w.Error("another key was made")
		}
		w.must(w.storage(key, secret).SuspendVersioning(ctx, "fleet"))
		if missing, err = access.ListMissing(ctx, []string{w.recipient}, ""); err != nil || len(missing.Changes) != 1 || !strings.Contains(missing.Changes[0], "keeps versions") {
			w.Errorf("missing is %q (%v)", missing.Changes, err)
		}
		if _, err := access.ListMissing(ctx, []string{"age1other"}, ""); exit.Code(err) != exit.Usage {
			w.Errorf("set up for others: %v", err)
		}
		w.Setenv("XDG_STATE_HOME", w.TempDir()) // another machine
		if missing, err = access.ListMissing(ctx, []string{w.recipient}, ""); err != nil || len(missing.Notes) != 1 || !strings.Contains(missing.Notes[0], "its secret is not in") {
			w.Errorf("it notes %q (%v)", missing.Notes, err)
		}
	})
}

// TestInitialize_GoesOnAfterLostKey interrupts it between the creation of the key and the file that keeps it.
func TestInitialize_GoesOnAfterLostKey(t *testing.T) {
	inTeam(t, simcloud.Options{}, func(w *team) {
		first, _ := w.setUp()
		folder := filepath.Join(os.Getenv("XDG_STATE_HOME"), "exoshift", ".shared", "fleet@"+endpoint)
		w.must(os.Remove(filepath.Join(folder, "key.env")))
		journal, err := os.ReadFile(filepath.Join(folder, state.JournalFile))
		w.must(err)
		lines := strings.SplitAfter(strings.TrimSpace(string(journal)), "\n")
		w.must(os.WriteFile(filepath.Join(folder, state.JournalFile), []byte(strings.Join(lines[:len(lines)-1], "")), 0o600))
		missing, err := w.access(address).ListMissing(w.Context(), []string{w.recipient}, "")
		w.must(err)
		if len(missing.Changes) != 1 || !strings.Contains(missing.Changes[0], "API key") {
			w.Errorf("missing is %q", missing.Changes)
		}
		if second, _ := w.setUp(); second == first || second == "" {
			w.Errorf("the key is %q after %q", second, first)
		}
	})
}

func TestInitialize_RefusesBucketOfOthers(t *testing.T) {
	inTeam(t, simcloud.Options{}, func(w *team) {
		_, err := w.access("s3://exported-snapshots?endpoint=https://"+endpoint).ListMissing(w.Context(), []string{w.recipient}, "")
		if !fault.Is(err, fault.Conflict) || !strings.Contains(fault.HintOf(err), "choose another name") {
			w.Errorf("error %v (hint %q), want that the bucket is somebody else's", err, fault.HintOf(err))
		}
	})
}

// TestInitialize_RefusesVersionedLocks: a bucket that keeps versions would fill up with those of locks.
func TestInitialize_RefusesVersionedLocks(t *testing.T) {
	inTeam(t, simcloud.Options{}, func(w *team) {
		locks, err := sharedstore.New(w.zone.Network(), sharedstore.Location{Endpoint: endpoint, Region: zoneName, Bucket: "fleet-locks", Key: key, Secret: secret})
		w.must(err)
		defer locks.Close()
		w.must(errors.Join(locks.CreateBucket(w.Context()), locks.EnableVersions(w.Context())))
		if _, err := w.access(address).ListMissing(w.Context(), []string{w.recipient}, ""); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "keeps versions") {
			w.Errorf("error %v", err)
		}
	})
}

// TestInitialize_StorageWithoutConditions: it is refused with the reason, until something else holds the locks.
func TestInitialize_StorageWithoutConditions(t *testing.T) {
	inTeam(t, simcloud.Options{Scenario: "unconditional-storage"}, func(w *team) {
		ctx, access := w.Context(), w.access(address)
		_, err := access.Initialize(ctx, []string{w.recipient}, "")
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "two machines could change one cluster") || !strings.Contains(fault.HintOf(err), "--lock kubernetes:NAMESPACE") {
			w.Fatalf("error %v (hint %q), want the reason and what serves", err, fault.HintOf(err))
		}
		git, err := w.zone.OpenGit()
		w.must(err)
		w.must(git.Create("fleet/state"))
		w.variables["GITLAB_TOKEN"], w.variables["GITLAB_HOST"] = w.zone.Credentials().GitToken, "git.vshn.net"
		lock, err := sharedstate.ResolveLock(access.Lookup, "gitlab:fleet/state")
		w.must(err)
		if lock != "gitlab:https://git.vshn.net/fleet/state" {
			w.Errorf("the lock is %q", lock)
		}
		_, err = access.Initialize(ctx, []string{w.recipient}, lock)
		w.must(err)
		_, err = access.Initialize(ctx, []string{w.recipient}, lock)
		w.must(err)
		if _, err := access.ListMissing(ctx, []string{w.recipient}, ""); exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "its locks are held by "+lock) {
			w.Errorf("another lock: %v", err)
		}
		w.must(access.Run(ctx, "c-demo-1", "install", func(lease.Holder) {}, func(ctx context.Context, s *sharedstate.Session) error {
			var held *lease.HeldError
			second := w.access(address).Run(ctx, "c-demo-1", "destroy", func(lease.Holder) {}, func(context.Context, *sharedstate.Session) error { return nil })
			if !errors.As(second, &held) || held.Holder.Verb != "install" || exit.Code(second) != exit.Locked {
				w.Errorf("two at once: %v", second)
			}
			return errors.Join(s.Folder.Write("secrets/pull", []byte("very-secret")), s.RecordPlan(ctx, "4711"))
		}))
		place, end, err := access.Open(ctx)
		w.must(err)
		defer end()
		entries, err := place.ListEntries(ctx, "c-demo-1")
		w.must(err)
		if len(entries) != 3 || entries[1].PlanHash != "4711" || entries[2].PlanHash != "4711" || *entries[2].ExitCode != 0 {
			w.Errorf("audit entries %+v", entries)
		}
		delete(w.variables, "GITLAB_TOKEN")
		if _, _, err := w.access(address).Open(ctx); !fault.Is(err, fault.Denied) || !strings.Contains(fault.HintOf(err), "GITLAB_TOKEN") {
			w.Errorf("without a token: %v", err)
		}
	})
}

func TestResolveLock(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	for given, want := range map[string]string{
		"": "", "kubernetes:fleet": "kubernetes:fleet", "gitlab:group/project": "gitlab:https://gitlab.com/group/project",
		"gitlab:https://git.example.net/a/b": "gitlab:https://git.example.net/a/b",
	} {
		if got, err := sharedstate.ResolveLock(none, given); err != nil || got != want {
			t.Errorf("%s: %q (%v), want %q", given, got, err, want)
		}
	}
	for _, wrong := range []string{"kubernetes:", "kubernetes:Fleet", "gitlab:", "gitlab:http://git.example.net/a", "dynamodb:x", "x"} {
		if got, err := sharedstate.ResolveLock(none, wrong); exit.Code(err) != exit.Usage {
			t.Errorf("%s: %q (%v), want an error of usage", wrong, got, err)
		}
	}
}

// TestIdentity_InVault has the identity in Vault alone, where a person signs in.
func TestIdentity_InVault(t *testing.T) {
	inTeam(t, simcloud.Options{}, func(w *team) {
		ctx := w.Context()
		w.setUp()
		identity, err := os.ReadFile(w.variables[sharedstate.IdentityVariable])
		w.must(err)
		body, err := json.Marshal(map[string]any{"data": map[string]string{"identity": string(identity), "broken": "no identity at all"}})
		w.must(err)
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://vault-prod.syn.vshn.net/v1/clusters/kv/data/team/exoshift", bytes.NewReader(body))
		w.must(err)
		request.Header.Set("X-Vault-Token", w.zone.Credentials().VaultToken)
		response, err := (&http.Client{Transport: w.zone.Network().NewTransport()}).Do(request)
		w.must(err)
		w.must(response.Body.Close())
		if response.StatusCode != http.StatusOK {
			w.Fatal(response.Status)
		}
		access := w.access(address)
		access.Person = environment.NewSimulatedAccess(w.zone)
		const secret = "vault://vault-prod.syn.vshn.net/team/exoshift"
		for value, want := range map[string]string{
			secret: "", secret + "?mount=clusters/kv#identity": "", secret + "#missing": "has no key missing", secret + "#broken": "neither an age identity",
			"vault://vault-prod.syn.vshn.net/team/none": "there is none", "vault://vault-prod.syn.vshn.net": "its form is vault://HOST/PATH", secret + "?x=y": "its form is",
		} {
			w.variables[sharedstate.IdentityVariable] = value
			_, end, err := access.Open(ctx)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) || err != nil && strings.Contains(err.Error(), string(identity)) {
				w.Errorf("%s: %v, want %q", value, err, want)
			}
			if err == nil {
				end()
			}
		}
	})
}
