package destroy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/exoscale/egoscale/v2/api"

	"exoshift/internal/network"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/destroy"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/install"
	"exoshift/provisioner/objects"
	"exoshift/state"
)

const (
	region = "ch-gva-2"
	key    = "EXOkey"
	secret = "very-secret-value"
)

type scene struct {
	*exoscale.Client
	storage *objects.Client
	door    *door
	t       *testing.T
	net     network.Network
	told    []state.Claim // the cluster's claims
}

func onScene(t *testing.T, test func(t *testing.T, s *scene)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &scene{t: t, door: &door{}}
		zone, err := simcloud.Open(t.Context(), simcloud.Options{Zone: region, Key: key, Secret: secret, Middleware: s.door.before})
		s.must(err)
		defer func() { s.must(zone.Close()) }()
		s.net = zone.Network()
		s.Client, err = exoscale.New(s.net, region, key, secret, state.NoJournal{})
		s.must(err)
		defer s.Close()
		s.storage, err = objects.New(s.net, region, key, secret, state.NoJournal{})
		s.must(err)
		defer s.storage.Close()
		test(t, s)
	})
}

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// ListClaims implements Cluster.
func (s *scene) ListClaims(context.Context) ([]state.Claim, error) { return s.told, nil }

func (s *scene) teardown(o destroy.Options) *destroy.Teardown {
	return s.teardownOf(spec(), o)
}

func (s *scene) teardownOf(spec state.Spec, o destroy.Options) *destroy.Teardown {
	o.Names = install.ListNames(spec)
	world := destroy.Clients{Cloud: s.Client, Buckets: s.storage.WithOwner(spec.Cluster.ID), Cluster: s, Clock: s.net.Clock}
	return destroy.New(spec, world, o)
}

// run destroys what a first inventory finds.
func (s *scene) run(ctx context.Context, o destroy.Options) (destroy.Inventory, error) {
	s.t.Helper()
	teardown := s.teardown(o)
	inventory, err := teardown.TakeInventory(ctx)
	s.must(err)
	return inventory, provisioner.Run(ctx, teardown.Plan(inventory), func(provisioner.Event) {})
}

func (s *scene) all() []string {
	s.t.Helper()
	found, err := s.ListObjects(s.t.Context())
	s.must(err)
	buckets, err := s.storage.ListBuckets(s.t.Context())
	s.must(err)
	var names []string
	for _, o := range append(found, buckets...) {
		names = append(names, o.Kind+" "+o.Name+" "+o.ID)
	}
	slices.Sort(names)
	return names
}

func spec() state.Spec {
	s := state.Default()
	s.Cluster = state.ClusterSpec{ID: "c-demo-1", BaseDomain: "example.net"}
	s.Exoscale.Zone = region
	return s
}

// door is a proxy before the zone's services.
type door struct {
	mu     sync.Mutex
	refuse func(*http.Request) bool // answered with 403
	passed func(*http.Request)
}

func (d *door) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		refuse, passed := d.refuse, d.passed
		d.mu.Unlock()
		if refuse != nil && refuse(r) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"message":"Operation is forbidden - reason: Locked by the janitor"}`))
			return
		}
		next.ServeHTTP(w, r)
		if passed != nil {
			passed(r)
		}
	})
}

func (d *door) set(refuse func(*http.Request) bool, passed func(*http.Request)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refuse, d.passed = refuse, passed
}

// raw creates by the API what the installation does not, waits for the operation and returns the object's ID.
func (s *scene) raw(method, path string, body any) string {
	s.t.Helper()
	var answer struct {
		ID, State string
		Reference struct{ ID string }
	}
	s.ask(method, path, body, &answer)
	for operation := answer.ID; answer.State == "pending"; {
		time.Sleep(time.Second) // in the synctest bubble
		s.ask(http.MethodGet, "/operation/"+operation, nil, &answer)
	}
	if answer.State != "success" {
		s.t.Fatalf("%s %s: %+v", method, path, answer)
	}
	return answer.Reference.ID
}

func (s *scene) ask(method, path string, body, into any) {
	s.t.Helper()
	content, err := json.Marshal(body)
	s.must(err)
	if body == nil {
		content = nil
	}
	request, err := http.NewRequestWithContext(s.t.Context(), method, "https://api-"+region+".exoscale.com/v2"+path, bytes.NewReader(content))
	s.must(err)
	request.Header.Set("Content-Type", "application/json")
	signer, err := api.NewSecurityProvider(key, secret)
	s.must(err)
	s.must(signer.Intercept(s.t.Context(), request))
	client := s.net.NewClient()
	defer client.CloseIdleConnections()
	answer, err := client.Do(request)
	s.must(err)
	defer func() { _ = answer.Body.Close() }()
	content, err = io.ReadAll(answer.Body)
	s.must(err)
	if answer.StatusCode != http.StatusOK {
		s.t.Fatalf("%s %s: %s %s", method, path, answer.Status, content)
	}
	s.must(json.Unmarshal(content, into))
}
