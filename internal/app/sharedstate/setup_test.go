package sharedstate_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"filippo.io/age"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/sharedstate"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/objects/sharedstore"
	"exoshift/state"
	"exoshift/state/lease"
	"exoshift/state/shared"
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
			"EXOSCALE_API_KEY": key, "EXOSCALE_API_SECRET": secret, sharedstate.IdentityVariable: file,
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
		w.must(access.Run(ctx, "c-demo-1", "install", func(lease.Holder) {}, func(_ context.Context, workspace *shared.Workspace, folder state.Folder) error {
			return errors.Join(folder.Write("secrets/pull", []byte("very-secret")), workspace.Sync())
		}))
		w.must(access.Read(ctx, "c-demo-1", func(folder state.Folder) error {
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
