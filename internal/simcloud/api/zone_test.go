package api_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	egoscale "github.com/exoscale/egoscale/v2"
	exoapi "github.com/exoscale/egoscale/v2/api"
	"github.com/exoscale/egoscale/v2/oapi"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/store"
)

const (
	zone   = "ch-gva-2"
	key    = "EXO0123456789abcdef01234567"
	secret = "a-secret-that-nobody-knows"
	public = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGwtABX33RWR5RoiZSF+0zmgVtf5AL5VMefc2Tgry6C3 someone"
)

// direct calls the handler without a network.
type direct struct {
	handler http.Handler
	images  map[string][]byte
}

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	if image, ok := d.images[r.URL.String()]; ok {
		_, err := io.Copy(recorder, bytes.NewReader(image))
		return recorder.Result(), err
	}
	if r.URL.Host == "images.example.com" {
		return nil, errors.New("connection refused")
	}
	served := r.Clone(r.Context())
	served.Host = r.URL.Host
	if r.Body == nil {
		served.Body = http.NoBody
	}
	d.handler.ServeHTTP(recorder, served)
	return recorder.Result(), nil
}

// world is an API with a client.
type world struct {
	*testing.T
	api    *api.API
	client *egoscale.Client
	images map[string][]byte
}

// inBubble runs a test in virtual time against a new API.
func inBubble(t *testing.T, change func(*api.Config), test func(w world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := open(t, store.NewMemory(), change)
		defer w.api.Close()
		test(w)
	})
}

func open(t *testing.T, db *store.DB, change func(*api.Config)) world {
	t.Helper()
	w := world{T: t, images: map[string][]byte{}}
	config := api.Config{
		DB: db, Zone: zone, Key: key, Secret: secret,
		HTTP: &http.Client{Transport: direct{images: w.images}},
	}
	if change != nil {
		change(&config)
	}
	var err error
	w.api, err = api.New(config)
	w.must(err)
	w.client = w.connect(secret)
	return w
}

func (w world) connect(secret string) *egoscale.Client {
	w.Helper()
	client, err := egoscale.NewClient(key, secret,
		egoscale.ClientOptWithHTTPClient(&http.Client{Transport: direct{handler: w.validated()}}),
		egoscale.ClientOptWithTimeout(time.Hour))
	w.must(err)
	return client
}

func (w world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// refused fails the test unless err is a refusal.
func (w world) refused(err error) {
	w.Helper()
	if !errors.Is(err, exoapi.ErrInvalidRequest) {
		w.Errorf("got %v, want a refusal", err)
	}
}

func (w world) missing(err error) {
	w.Helper()
	if !errors.Is(err, exoapi.ErrNotFound) {
		w.Errorf("got %v, want not found", err)
	}
}

func (w world) ctx() context.Context {
	return exoapi.WithEndpoint(w.Context(), exoapi.NewReqEndpoint("", zone))
}

// instance creates a machine with all required fields.
func (w world) instance(name string, change func(*egoscale.Instance)) (*egoscale.Instance, error) {
	w.Helper()
	kind, err := w.client.FindInstanceType(w.ctx(), zone, "standard.large")
	w.must(err)
	image, err := w.client.GetTemplateByName(w.ctx(), zone, "Linux Ubuntu 24.04 LTS 64-bit", "public")
	w.must(err)
	i := &egoscale.Instance{Name: &name, InstanceTypeID: kind.ID, TemplateID: image.ID, DiskSize: ptr(int64(50))}
	if change != nil {
		change(i)
	}
	return w.client.CreateInstance(w.ctx(), zone, i)
}

func ptr[T any](v T) *T { return &v }

func md5sum(content []byte) string {
	sum := md5.Sum(content)
	return hex.EncodeToString(sum[:])
}

func TestZones_ListedUnsigned(t *testing.T) {
	inBubble(t, nil, func(w world) {
		r, _ := http.NewRequestWithContext(w.Context(), http.MethodGet, "https://api-ch-gva-2.exoscale.com/v2/zone", nil)
		response, err := direct{handler: w.validated()}.RoundTrip(r)
		w.must(err)
		if response.StatusCode != http.StatusOK {
			t.Errorf("anonymous GET /v2/zone: %s", response.Status)
		}
		zones, err := w.client.ListZones(w.ctx())
		w.must(err)
		if len(zones) != 8 || zones[0] != "ch-gva-2" {
			t.Errorf("zones: %v", zones)
		}
	})
}

func TestZones_ShareOrganization(t *testing.T) {
	inBubble(t, nil, func(w world) {
		i, err := w.instance("one", nil)
		w.must(err)
		_, err = w.client.GetInstance(w.ctx(), "at-vie-1", *i.ID)
		w.missing(err)
		list, err := w.client.ListInstances(w.ctx(), "at-vie-1")
		w.must(err)
		if len(list) != 0 {
			t.Errorf("at-vie-1 shows %d machines of ch-gva-2", len(list))
		}
		_, err = w.client.FindSecurityGroup(w.ctx(), "at-vie-1", "default")
		w.must(err)
		_, err = w.client.ListInstances(w.ctx(), "xx-nowhere-1")
		w.missing(err)
	})
}

func TestMutations_ExcludeReadsAndRefusals(t *testing.T) {
	inBubble(t, nil, func(w world) {
		_, err := w.client.ListSSHKeys(w.ctx(), zone)
		w.must(err)
		_, err = w.client.RegisterSSHKey(w.ctx(), zone, "bad", "nonsense")
		w.refused(err)
		if w.api.Mutations() != 0 || w.api.Calls() != 2 {
			t.Errorf("%d mutations in %d calls", w.api.Mutations(), w.api.Calls())
		}
		_, err = w.client.RegisterSSHKey(w.ctx(), zone, "good", public)
		w.must(err)
		if w.api.Mutations() != 1 {
			t.Errorf("%d mutations after one", w.api.Mutations())
		}
	})
}

func TestQuotas_UsageAndLimit(t *testing.T) {
	limit := func(c *api.Config) { c.Quotas = map[string]int{"instance": 1} }
	inBubble(t, limit, func(w world) {
		_, err := w.instance("one", nil)
		w.must(err)
		quota, err := w.client.GetQuota(w.ctx(), zone, "instance")
		w.must(err)
		if *quota.Usage != 1 || *quota.Limit != 1 {
			t.Errorf("usage %d of %d", *quota.Usage, *quota.Limit)
		}
		_, err = w.instance("two", nil)
		w.refused(err)
	})
}

func TestSSHKey_CompleteAtOnce(t *testing.T) {
	inBubble(t, nil, func(w world) {
		began := time.Now()
		made, err := w.client.RegisterSSHKey(w.ctx(), zone, "k", public)
		w.must(err)
		if made.Fingerprint == nil || time.Since(began) > 0 {
			t.Errorf("fingerprint %v after %v", made.Fingerprint, time.Since(began))
		}
		_, err = w.client.RegisterSSHKey(w.ctx(), zone, "k", public)
		w.refused(err)
		w.refuses(http.StatusConflict, "SSH key k already has this fingerprint", http.MethodPost, "/ssh-key", `{"name":"other","public-key":"`+public+`"}`)
		w.must(w.client.DeleteSSHKey(w.ctx(), zone, made))
		_, err = w.client.GetSSHKey(w.ctx(), zone, "k")
		w.missing(err)
	})
}

func TestLegacyHost_OrganizationResources(t *testing.T) {
	inBubble(t, nil, func(w world) {
		// The client drops the zone here; the group and its operation are visible in every zone.
		_, err := w.client.CreateSecurityGroup(w.Context(), zone, &egoscale.SecurityGroup{Name: ptr("g")})
		w.must(err)
		_, err = w.client.CreateElasticIpWithResponse(w.Context(), oapi.CreateElasticIpJSONRequestBody{})
		w.missing(err)
	})
}

func TestAPI_ConcurrentCallers(t *testing.T) {
	inBubble(t, nil, func(w world) {
		group := w.group("g")
		var all sync.WaitGroup
		for port := range uint16(8) {
			all.Go(func() {
				_, err := w.client.AddRuleToSecurityGroupWithResponse(w.ctx(), *group.ID, oapi.AddRuleToSecurityGroupJSONRequestBody{
					FlowDirection: "ingress", Protocol: "tcp", Network: ptr("0.0.0.0/0"),
					StartPort: ptr(int64(port) + 1), EndPort: ptr(int64(port) + 1),
				})
				if err != nil {
					t.Error(err)
				}
				w.api.Allows(netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("198.18.0.10"), "tcp", 22)
				w.api.Instances()
			})
		}
		all.Wait()
		shown, err := w.client.GetSecurityGroup(w.ctx(), zone, *group.ID)
		w.must(err)
		if len(shown.Rules) != 8 {
			t.Errorf("%d of 8 rules", len(shown.Rules))
		}
	})
}

func TestClock_Scaled(t *testing.T) {
	clock, stop := network.NewScaledClock(1000, time.Now())
	defer stop()
	w := open(t, store.NewMemory(), func(c *api.Config) { c.Clock = clock })
	defer w.api.Close()
	w.begin("one")
	for w.api.Instances()[0].State != "running" { // 20 s are 20 ms
		<-w.api.Changed()
	}
}
