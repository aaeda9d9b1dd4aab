package fleet

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/s3"
	"exoshift/internal/simcloud/site"
	database "exoshift/internal/simcloud/store"
	"exoshift/provisioner/objects/sharedstore"
	"exoshift/state"
	"exoshift/state/lease"
	"exoshift/state/shared"
)

// Documented limits of an overview of a fleet from its state alone.
const (
	statusClusters = 500
	statusLatency  = 50 * time.Millisecond // of each answer of the storage
	statusLimit    = 3 * time.Second
)

func BenchmarkFleetStatus(b *testing.B) {
	const endpoint, bucket = "sos-ch-gva-2.exo.io", "fleet-state"
	storage, err := s3.New(s3.Config{DB: database.NewMemory(), Zone: "ch-gva-2", Key: "EXOkey", Secret: "secret"})
	must(b, err)
	var latency time.Duration // none while the fleet is made
	server, err := site.Open(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = (network.Clock{}).Sleep(r.Context(), latency)
		storage.ServeHTTP(w, r)
	}), endpoint)
	must(b, err)
	defer server.Close()
	client, err := minio.New(endpoint, &minio.Options{
		Creds: credentials.NewStaticV4("EXOkey", "secret", ""), Secure: true, Transport: server.Network().NewTransport(), Region: "ch-gva-2", BucketLookup: minio.BucketLookupPath,
	})
	must(b, err)
	must(b, client.MakeBucket(b.Context(), bucket, minio.MakeBucketOptions{}))
	identity, err := age.GenerateX25519Identity()
	must(b, err)
	// open is a machine that has seen nothing yet, so that it has all to remember.
	open := func() *shared.Place {
		at, err := sharedstore.New(server.Network(), sharedstore.Location{Endpoint: endpoint, Region: "ch-gva-2", Bucket: bucket, Key: "EXOkey", Secret: "secret"})
		must(b, err)
		b.Cleanup(at.Close)
		memory, err := shared.OpenMemory(filepath.Join(b.TempDir(), "memory.json"))
		must(b, err)
		options := shared.Options{Store: at, Leases: at, Identities: []age.Identity{identity}, Memory: memory}
		place, err := shared.Open(b.Context(), options)
		if err != nil {
			_, err = shared.Initialize(b.Context(), options, []string{identity.Recipient().String()})
			must(b, err)
			place, err = shared.Open(b.Context(), options)
		}
		must(b, err)
		return place
	}
	makeFleet(b, open())
	latency = statusLatency
	for b.Loop() {
		began := time.Now()
		clusters, _, err := Fleet{Place: open(), Work: b.TempDir(), Now: time.Now}.List(b.Context(), Selector{"stage": "prod"})
		took := time.Since(began)
		must(b, err)
		if len(clusters) != statusClusters || clusters[0].Phase != PhaseInstalled || clusters[0].Drift == nil {
			b.Fatalf("%d clusters, the first is %+v", len(clusters), clusters[0])
		}
		b.ReportMetric(took.Seconds(), "status-s")
		if took > statusLimit {
			b.Errorf("the status of %d clusters took %s, the limit is %s", statusClusters, took, statusLimit)
		}
	}
}

func makeFleet(b *testing.B, place *shared.Place) {
	b.Helper()
	for n := range statusClusters {
		id := fmt.Sprintf("c-%03d", n)
		holder := lease.Holder{Run: id, Verb: VerbInstall, User: "ci", Host: "runner"}
		workspace, err := place.Open(b.Context(), id, b.TempDir(), holder, func(lease.Holder) {})
		must(b, err)
		folder, err := workspace.Folder()
		must(b, err)
		must(b, folder.Write(state.AnswersFile, []byte(answers)))
		held := workspace.Holder()
		workspace.SetSummarizer(func() shared.Summary {
			return shared.Summary{
				Labels: map[string]string{"stage": "prod"}, Zone: "ch-gva-2", Version: "4.20.5", Phase: PhaseInstalled, Nodes: 13, NodesReady: 13,
				Run: shared.RunSummary{State: shared.RunOK, Holder: &held}, CostMonth: 4000, LastSuccess: time.Now().UTC(),
			}
		})
		must(b, workspace.Close(b.Context()))
		if n%2 == 0 {
			must(b, shared.NewOverview(place).RecordCheck(b.Context(), id, shared.Check{Counter: 9, Drift: new(bool)}))
		}
	}
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
