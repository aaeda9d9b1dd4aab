package sharedstore_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"exoshift/internal/fault"
	simulated "exoshift/internal/simcloud/s3"
	"exoshift/internal/simcloud/site"
	database "exoshift/internal/simcloud/store"
	"exoshift/provisioner/objects/sharedstore"
	"exoshift/state/store"
	"exoshift/state/store/storetest"
)

const (
	endpoint = "sos-ch-gva-2.exo.io"
	bucket   = "fleet-state"
)

func open(t *testing.T) (*sharedstore.Store, *site.Site) {
	t.Helper()
	storage, err := simulated.New(simulated.Config{DB: database.NewMemory(), Zone: "ch-gva-2", Key: "EXOkey", Secret: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	server, err := site.Open(storage, endpoint)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	client, err := minio.New(endpoint, &minio.Options{
		Creds: credentials.NewStaticV4("EXOkey", "secret", ""), Secure: true, Transport: server.Network().NewTransport(), Region: "ch-gva-2", BucketLookup: minio.BucketLookupPath,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.MakeBucket(t.Context(), bucket, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	s, err := sharedstore.New(server.Network(), sharedstore.Location{Endpoint: endpoint, Region: "ch-gva-2", Bucket: bucket, Prefix: "team/", Key: "EXOkey", Secret: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, server
}

func TestStore(t *testing.T) {
	s, _ := open(t)
	storetest.Run(t, s)
}

// TestStore_RecognizesOwnWrite has the answer of a write lost.
func TestStore_RecognizesOwnWrite(t *testing.T) {
	s, server := open(t)
	first, err := s.Put(t.Context(), "lease", []byte("nonce 1"), "")
	if err != nil {
		t.Fatal(err)
	}
	server.InjectFaults(site.Fault{Match: "PUT ", ServeFirst: true})
	second, err := s.Put(t.Context(), "lease", []byte("nonce 2"), first)
	if err != nil || second == first {
		t.Fatalf("version %q, %v", second, err)
	}
	// After an answer that another attempt may succeed, the client repeats it by itself, and is refused for its own object.
	server.InjectFaults(site.Fault{Match: "PUT ", ServeFirst: true, Respond: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }})
	third, err := s.Put(t.Context(), "lease", []byte("nonce 2 again"), second)
	if err != nil || third == second {
		t.Fatalf("version %q, %v", third, err)
	}
	second = third
	server.InjectFaults(site.Fault{Match: "PUT ", Respond: func(w http.ResponseWriter, _ *http.Request) {
		_, _ = s.Put(context.Background(), "lease", []byte("nonce of another"), second)
		w.WriteHeader(http.StatusServiceUnavailable)
	}})
	if _, err := s.Put(t.Context(), "lease", []byte("nonce 3"), second); !errors.Is(err, store.ErrConflict) {
		t.Errorf("error %v, want a conflict: another one has written meanwhile", err)
	}
}

func TestStore_RepeatsAfterConcurrentRequest(t *testing.T) {
	s, server := open(t)
	server.InjectFaults(site.Fault{Match: "PUT ", Respond: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusConflict)
		_, _ = w.Write([]byte(`<Error><Code>ConditionalRequestConflict</Code><Message>another request is under way</Message></Error>`))
	}})
	if _, err := s.Put(t.Context(), "a", []byte("x"), ""); err != nil {
		t.Error(err)
	}
}

func TestStore_ExplainsFailures(t *testing.T) {
	_, server := open(t)
	for name, test := range map[string]struct {
		at   sharedstore.Location
		kind fault.Kind
	}{
		"wrong secret":      {sharedstore.Location{Bucket: bucket, Key: "EXOkey", Secret: "other"}, fault.Denied},
		"no such bucket":    {sharedstore.Location{Bucket: "missing", Key: "EXOkey", Secret: "secret"}, fault.NotFound},
		"unreachable":       {sharedstore.Location{Endpoint: "sos-at-vie-1.exo.io", Bucket: bucket, Key: "EXOkey", Secret: "secret"}, fault.Transient},
		"bucket of another": {sharedstore.Location{Bucket: bucket, Key: "unknown", Secret: "secret"}, fault.Denied},
	} {
		if test.at.Endpoint == "" {
			test.at.Endpoint = endpoint
		}
		test.at.Region = "ch-gva-2"
		s, err := sharedstore.New(server.Network(), test.at)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Put(t.Context(), "a", []byte("x"), "")
		if !fault.Is(err, test.kind) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v (hint %q), want kind %d with a hint", name, err, fault.HintOf(err), test.kind)
		}
		s.Close()
	}
}
