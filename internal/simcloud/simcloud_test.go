package simcloud

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud/vm"
	"exoshift/provisioner/exoscale"
	"exoshift/state"
)

const (
	key    = "EXOkey"
	secret = "very-secret-value"
	region = "ch-gva-2"
)

// operator works on an open zone through its network.
type operator struct {
	*Zone
	*exoscale.Client
	t *testing.T
}

func open(t *testing.T, options Options) *operator {
	t.Helper()
	options.Zone, options.Key, options.Secret = region, key, secret
	zone, err := Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	client, err := exoscale.New(zone.Network(), region, key, secret, state.NoJournal{})
	if err != nil {
		t.Fatal(err)
	}
	return &operator{Zone: zone, Client: client, t: t}
}

func (o *operator) close() {
	o.t.Helper()
	o.Client.Close()
	if err := o.Zone.Close(); err != nil {
		o.t.Error(err)
	}
}

func (o *operator) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

// group creates a security group that allows the ports from everywhere.
func (o *operator) group(name string, ports ...int) string {
	o.t.Helper()
	group := state.SecurityGroup{Name: name, Description: name}
	for _, port := range ports {
		group.Rules = append(group.Rules, state.Rule{Protocol: "tcp", From: port, To: port, CIDR: "0.0.0.0/0"})
	}
	id, _, err := o.EnsureSecurityGroup(o.t.Context(), group)
	o.must(err)
	return id
}

func (o *operator) ubuntu(name, group string, userData []byte) state.Instance {
	o.t.Helper()
	template, err := o.FindPublicTemplate(o.t.Context(), "Linux Ubuntu 24.04 LTS 64-bit")
	o.must(err)
	made, _, err := o.EnsureInstance(o.t.Context(), state.Instance{
		Name: name, Type: "standard.medium", TemplateID: template.ID, DiskGiB: 20, UserData: userData,
		SecurityGroups: []string{group}, Labels: map[string]string{"exoshift-cluster": "c-1"},
	})
	o.must(err)
	return made
}

func (o *operator) loadBalancer(group string) state.Instance {
	o.t.Helper()
	userData, err := assets.RenderLoadBalancerUserData(assets.LoadBalancer{Domain: "c-1.example.net", Masters: 3, Routers: 2})
	o.must(err)
	return o.ubuntu("lb-0", group, userData)
}

// get returns the body of a page, or the error's text.
func (o *operator) get(url string) string {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(o.t.Context(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	o.must(err)
	client := o.Network().NewClient()
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	o.must(err)
	return string(body)
}

func (o *operator) wantServed(url string, served bool) {
	o.t.Helper()
	if got := o.get(url); strings.Contains(got, "Service ready") != served {
		o.t.Errorf("GET %s = %q, want served: %v; consoles: %q", url, got, served, o.Consoles())
	}
}

func TestElasticIP_LoadBalancerServes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{})
		defer o.close()
		lb := o.loadBalancer(o.group("lb", 8404))
		ip, _, err := o.EnsureElasticIP(t.Context(), state.ElasticIP{Name: "api", Healthcheck: state.Healthcheck{
			Mode: "http", Port: 8404, Path: "/healthz", Interval: 10 * time.Second, Timeout: 2 * time.Second, StrikesOK: 2, StrikesFail: 3}})
		o.must(err)
		_, err = o.EnsureAttached(t.Context(), ip.ID, lb.ID)
		o.must(err)
		zone, _, err := o.EnsureZone(t.Context(), "c-1.example.net")
		o.must(err)
		_, err = o.EnsureRecord(t.Context(), zone.ID, state.Record{Name: "api", Type: "A", Content: ip.Address, TTL: 60})
		o.must(err)

		// It boots. Its name is not resolved yet: a negative response would be cached.
		o.wantServed("http://"+ip.Address+":8404/healthz", false)
		time.Sleep(3 * time.Minute)
		o.wantServed("http://"+lb.Address+":8404/healthz", true)
		o.wantServed("http://api.c-1.example.net:8404/healthz", true)
		o.wantServed("http://"+lb.Address+":6443/", false) // no rule allows it
		if to, _, ok := o.translate(netip.MustParseAddr(lb.Address), netip.AddrPortFrom(netip.MustParseAddr(ip.Address), 8404), "tcp"); ok {
			t.Errorf("an instance reaches %s through an elastic IP of its own", to)
		}

		_, err = o.DeleteInstance(t.Context(), lb.ID)
		o.must(err)
		time.Sleep(time.Minute)
		o.wantServed("http://api.c-1.example.net:8404/healthz", false)
	})
}

func TestElasticIP_HealthcheckNeedsRule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{})
		defer o.close()
		lb := o.loadBalancer(o.group("lb", 6443))
		ip, _, err := o.EnsureElasticIP(t.Context(), state.ElasticIP{Name: "api", Healthcheck: state.Healthcheck{
			Mode: "tcp", Port: 8404, Interval: 10 * time.Second, Timeout: 2 * time.Second, StrikesOK: 2, StrikesFail: 3}})
		o.must(err)
		_, err = o.EnsureAttached(t.Context(), ip.ID, lb.ID)
		o.must(err)
		time.Sleep(5 * time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if _, err := o.Network().Dial(ctx, "tcp", ip.Address+":6443"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("dial = %v, want a dropped packet", err)
		}
	})
}

func TestOpen_ContinuesZone(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{Dir: dir, Speed: 10})
		lb := o.loadBalancer(o.group("lb", 8404))
		o.must(o.Network().Clock.Sleep(t.Context(), 5*time.Minute)) // of the zone, whose clock slows down on a busy machine
		o.wantServed("http://"+lb.Address+":8404/healthz", true)
		before := o.Network().Clock.Now()
		o.close()

		time.Sleep(24 * time.Hour)
		o = open(t, Options{Dir: dir, Speed: 10})
		defer o.close()
		if passed := o.Network().Clock.Now().Sub(before); passed < 0 || passed > time.Minute {
			t.Errorf("%s of simulated time passed while the zone was closed", passed)
		}
		synctest.Wait()
		o.wantServed("http://"+lb.Address+":8404/healthz", true)
	})
}

func TestMetadata_InstancesOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{})
		defer o.close()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if _, err := o.Network().Dial(ctx, "tcp", "169.254.169.254:80"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("dial = %v, want a dropped packet", err)
		}
	})
}

func TestNameServers_AreReachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{})
		defer o.close()
		zone, _, err := o.EnsureZone(t.Context(), "c-1.example.net")
		o.must(err)
		if len(zone.NameServers) == 0 {
			t.Fatal("the zone has no name servers")
		}
		for _, server := range zone.NameServers {
			c, err := o.Network().Dial(t.Context(), "tcp", net.JoinHostPort(server, "53"))
			o.must(err)
			_ = c.Close()
		}
	})
}

func TestMirror_IsTrusted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{Installer: []string{"true"}})
		defer o.close()
		if got := o.get("https://mirror.openshift.com/pub/openshift-v4/clients/ocp/4.20.5/release.txt"); !strings.Contains(got, "4.20.5") {
			t.Errorf("release.txt = %q", got)
		}
	})
}

func TestScenarios_ChangeZone(t *testing.T) {
	t.Run("bad-credentials", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			o := open(t, Options{Scenario: "bad-credentials"})
			defer o.close()
			if err := o.CheckCredentials(t.Context()); !fault.Is(err, fault.Denied) {
				t.Errorf("error = %v, want denied", err)
			}
		})
	})
	t.Run("quota", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			o := open(t, Options{Scenario: "quota"})
			defer o.close()
			quotas, err := o.ListQuotas(t.Context())
			o.must(err)
			if i := slices.IndexFunc(quotas, func(q state.Quota) bool { return q.Resource == "instance" }); i < 0 || quotas[i].Limit != 10 {
				t.Errorf("quotas = %v", quotas)
			}
		})
	})
	t.Run("mcs-blocked", func(t *testing.T) {
		synctest.Test(t, blockedMCS)
	})
	t.Run("master-never-joins", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			o := open(t, Options{Scenario: "master-never-joins"})
			defer o.close()
			for _, c := range []struct {
				id, name string
				broken   bool
			}{
				{"1", "master-1", false}, {"2", "master-20", false}, {"3", "master-2.c-1.example.net", true}, {"3", "master-2.c-1.example.net", true},
				{"4", "master-2.c-1.example.net", false},
			} {
				if o.faults.hasBootFault(vm.Instance{ID: c.id, Name: c.name}) != c.broken {
					t.Errorf("%s %s: broken is %v", c.id, c.name, !c.broken)
				}
			}
		})
	})
	if _, err := Open(t.Context(), Options{Scenario: "sunny"}); err == nil {
		t.Error("an unknown scenario opens")
	}
}

func TestScenarios_Combined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{Scenario: "quota,nxdomain,masters-silent", Quotas: map[string]int{"elastic-ip": 1}})
		defer o.close()
		if instances, addresses := o.api.Limit("instance"), o.api.Limit("elastic-ip"); instances != 10 || addresses != 1 {
			t.Errorf("limits: %d instances, %d elastic IPs", instances, addresses)
		}
		if got := o.lookup(o.Network(), "registry.redhat.io"); !strings.Contains(got, "no such host") {
			t.Errorf("registry.redhat.io is %s", got)
		}
		if !o.faults.hasBootFault(vm.Instance{ID: "1", Name: "master-0"}) {
			t.Error("a master boots")
		}
	})
}

// blockedMCS checks that the rule is removed once, and can be restored.
func blockedMCS(t *testing.T) {
	o := open(t, Options{Scenario: "mcs-blocked"})
	defer o.close()
	group := state.SecurityGroup{Name: "c-1_control_plane", Rules: []state.Rule{
		{Protocol: "tcp", From: 22623, To: 22623, CIDR: "0.0.0.0/0"},
		{Protocol: "tcp", From: 6443, To: 6443, CIDR: "0.0.0.0/0"},
	}}
	id, _, err := o.EnsureSecurityGroup(t.Context(), group)
	o.must(err)
	missing := func(want int) {
		t.Helper()
		synctest.Wait()
		rules, err := o.ListMissingRules(t.Context(), group)
		o.must(err)
		if len(rules) != want {
			t.Errorf("missing rules = %v, want %d", rules, want)
		}
	}
	o.ubuntu("lb-0", id, nil)
	missing(0)
	o.ubuntu("master-0", id, nil)
	missing(1)
	_, _, err = o.EnsureSecurityGroup(t.Context(), group)
	o.must(err)
	o.ubuntu("master-1", id, nil)
	missing(0)
}
