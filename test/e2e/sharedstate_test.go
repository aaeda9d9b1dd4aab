package e2e

import (
	"net/http"
	"testing"

	"exoshift/internal/network"
	"exoshift/provisioner/objects/sharedstore"
	"exoshift/state/store/storetest"
)

// TestSharedStore_RealObjectStorage holds the store of shared state to its contract on an S3 server by others: conditions, races
// between writers, and contents that are larger than a part of an upload.
func TestSharedStore_RealObjectStorage(t *testing.T) {
	program := storageProgram(t)
	l, ok := newLab(t, bucketServer+" A 203.0.113.10")
	if !ok {
		return
	}
	l.runStorage(program)
	world := network.Host()
	world.Roots = l.client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	at := sharedstore.Location{Endpoint: bucketServer, Region: zone, Bucket: "fleet-state", Prefix: "team/", Key: storageKey, Secret: storageSecret}
	shared, err := sharedstore.New(world, at)
	must(t, err)
	defer shared.Close()
	before, err := shared.InspectBucket(t.Context())
	must(t, err)
	must(t, shared.CreateBucket(t.Context()))
	after, err := shared.InspectBucket(t.Context())
	must(t, err)
	if before.Exists || !after.Exists || after.Versioned {
		t.Errorf("the bucket is %+v before it is created, and %+v after that", before, after)
	}
	storetest.Run(t, shared)
}
