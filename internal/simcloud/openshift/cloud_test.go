package openshift

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/openshift/cloudprovider"
	"exoshift/internal/simcloud/store"
	"exoshift/provisioner/exoscale"
	"exoshift/state"
)

const (
	cloudAddress = "203.0.113.10"
	cloudZone    = "ch-gva-2"
	cloudKey     = "EXOkey"
	cloudSecret  = "very-secret-value"
)

// cloud is the API of Exoscale with the signatures and roles of the whole zone; its instances are the machines of the lab.
type cloud struct {
	t       *testing.T
	ca      *fabric.CA
	api     *api.API
	server  *http.Server
	calls   atomic.Int64
	fabric  *fabric.Fabric
	kind    string // ID of the machines' instance type
	unknown string // name of a machine that it does not list
}

func (c *cloud) extraLarge(l *lab) string {
	l.t.Helper()
	asked := cloudprovider.CloudAPI{Base: "https://api-" + cloudZone + ".exoscale.com", Key: cloudKey, Secret: cloudSecret, Timeout: time.Minute,
		HTTP: l.laptop.Network(c.ca.Pool()).NewClient()}
	defer asked.Close()
	var answer struct {
		Types []struct{ ID, Family, Size string } `json:"instance-types"`
	}
	if err := asked.Get(l.ctx, "/v2/instance-type", &answer); err != nil {
		l.t.Fatal(err)
	}
	for _, found := range answer.Types {
		if found.Family == "standard" && found.Size == "extra-large" {
			return found.ID
		}
	}
	l.t.Fatal("there is no standard.extra-large")
	return ""
}

func openCloud(l *lab) *cloud {
	l.t.Helper()
	c := &cloud{t: l.t, fabric: l.fabric, ca: l.ca}
	var err error
	if c.api, err = api.New(api.Config{DB: store.NewMemory(), Clock: l.clock, Zone: cloudZone, Key: cloudKey, Secret: cloudSecret}); err != nil {
		l.t.Fatal(err)
	}
	config, err := c.ca.NewServerTLS("api-" + cloudZone + ".exoscale.com")
	if err != nil {
		l.t.Fatal(err)
	}
	listener, err := l.host(cloudAddress).Listen(443)
	if err != nil {
		l.t.Fatal(err)
	}
	l.names[".exoscale.com"] = cloudAddress
	c.server = &http.Server{Handler: c.instead(l), ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = c.server.Serve(tls.NewListener(listener, config)) }()
	c.kind = c.extraLarge(l)
	return c
}

func (c *cloud) close() {
	_ = c.server.Close()
	c.api.Close()
}

// instead replaces the instances in the API's responses by the lab's machines.
func (c *cloud) instead(l *lab) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/v2/instance" {
			c.api.ServeHTTP(w, r)
			return
		}
		c.calls.Add(1)
		answer := httptest.NewRecorder()
		c.api.ServeHTTP(answer, r)
		w.WriteHeader(answer.Code)
		if answer.Code != http.StatusOK {
			_, _ = io.Copy(w, answer.Body)
			return
		}
		var list []map[string]any
		for _, instance := range l.list() {
			if instance.Name == c.unknown {
				continue
			}
			list = append(list, map[string]any{"id": instance.ID, "name": instance.Name, "public-ip": instance.Address.String(),
				"instance-type": map[string]any{"id": c.kind}})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"instances": list})
	})
}

func (c *cloud) restricted(policy []byte) (key, secret string) {
	c.t.Helper()
	host, err := c.fabric.AddHost(netip.MustParseAddr("192.0.2.11"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer host.Close()
	client, err := exoscale.New(host.Network(c.ca.Pool()), cloudZone, cloudKey, cloudSecret, state.NoJournal{})
	if err != nil {
		c.t.Fatal(err)
	}
	defer client.Close()
	wanted := state.IAMRole{Name: "ccm", Description: "ccm"}
	if err := json.Unmarshal(policy, &wanted.Policy); err != nil {
		c.t.Fatal(err)
	}
	role, _, err := client.EnsureRole(c.t.Context(), wanted)
	if err != nil {
		c.t.Fatal(err)
	}
	_, err = client.EnsureAPIKey(c.t.Context(), state.APIKey{Name: "ccm", RoleID: role.ID}, func(made state.APIKey) error {
		key, secret = made.Key, made.Secret
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return key, secret
}
