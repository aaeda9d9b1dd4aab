package exoscale_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/site"
	"exoshift/state"
)

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFrqFDKnGUSFSZq0xdRXDCHwEXjDjHHSBXKYhSGGhCpM operator"

func group(name string, rules ...state.Rule) state.SecurityGroup {
	return state.SecurityGroup{Name: name, Description: "of a test", Rules: rules}
}

func elasticIP() state.ElasticIP {
	return state.ElasticIP{
		Name: cluster + "-api", Labels: map[string]string{"exoshift-cluster": cluster}, ReverseDNS: "api.example.com",
		Healthcheck: state.Healthcheck{
			Mode: "https", Port: 6443, Path: "/readyz", Interval: 10 * time.Second, Timeout: 2 * time.Second,
			StrikesOK: 2, StrikesFail: 3,
		},
	}
}

func (w *world) machine(ctx context.Context, name string) state.Instance {
	w.t.Helper()
	template, err := w.FindPublicTemplate(ctx, "Linux Debian 12 (Bookworm) 64-bit")
	w.check(err)
	return state.Instance{
		Name: name, Type: "standard.medium", TemplateID: template.ID, DiskGiB: 20, UserData: []byte("#cloud-config\n"),
		Labels: map[string]string{"exoshift-cluster": cluster, "exoshift-role": "lb"},
	}
}

func ensures(ctx context.Context, w *world) map[string]func() (state.Action, error) {
	return map[string]func() (state.Action, error){
		"security-group": func() (state.Action, error) {
			_, action, err := w.EnsureSecurityGroup(ctx, group("nodes", state.Rule{Protocol: "tcp", From: 22, To: 22, CIDR: "0.0.0.0/0"}))
			return action, err
		},
		"anti-affinity-group": func() (state.Action, error) {
			_, action, err := w.EnsureAntiAffinityGroup(ctx, "masters", "apart")
			return action, err
		},
		"elastic-ip": func() (state.Action, error) {
			_, action, err := w.EnsureElasticIP(ctx, elasticIP())
			return action, err
		},
		"dns-zone": func() (state.Action, error) {
			_, action, err := w.EnsureZone(ctx, "example.com")
			return action, err
		},
		"instance": func() (state.Action, error) {
			_, action, err := w.EnsureInstance(ctx, w.machine(ctx, "lb-0"))
			return action, err
		},
		"iam-role": func() (state.Action, error) {
			_, action, err := w.EnsureRole(ctx, role())
			return action, err
		},
	}
}

func TestEnsure_IsIdempotent(t *testing.T) {
	for _, kind := range []string{"security-group", "anti-affinity-group", "elastic-ip", "dns-zone", "instance", "iam-role"} {
		t.Run(kind, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				ensure := ensures(ctx, w)[kind]
				action, err := ensure()
				want := state.Created
				w.wantAction(action, err, want)
				w.unchanged(func() {
					action, err := ensure()
					w.wantAction(action, err, state.Found)
				})
				if len(w.journal.open) > 0 {
					w.t.Errorf("the journal misses results: %v", w.journal.open)
				}
			})
		})
	}
}

func TestEnsure_JournalsIntentAndResult(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, _, err := w.EnsureSecurityGroup(ctx, group("nodes", state.Rule{Protocol: "tcp", From: 22, To: 22, CIDR: "0.0.0.0/0"}))
		w.check(err)
		want := []string{
			"intend security-group nodes", "created security-group nodes",
			"intend security-group-rule nodes: tcp 22-22 from 0.0.0.0/0", "created security-group-rule nodes: tcp 22-22 from 0.0.0.0/0",
		}
		if diff := cmp.Diff(want, w.journal.entries); diff != "" {
			w.t.Error(diff)
		}
	})
}

func TestEnsure_AdoptsAfterLostAnswer(t *testing.T) {
	paths := map[string]string{
		"security-group": "/v2/security-group", "anti-affinity-group": "/v2/anti-affinity-group",
		"elastic-ip": "/v2/elastic-ip", "dns-zone": "/v2/dns-domain", "instance": "/v2/instance", "iam-role": "/v2/iam-role",
	}
	for kind, path := range paths {
		t.Run(kind, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				ensure := ensures(ctx, w)[kind]
				w.InjectFaults(site.Fault{Match: "POST " + path, ServeFirst: true})
				action, err := ensure()
				w.wantAction(action, err, state.Adopted)
				posts := w.count("POST "+path) - w.count("POST "+path+"/") // without the rules of a group
				if posts != 1 {
					w.t.Fatalf("%d creates were sent", posts)
				}
				w.unchanged(func() {
					action, err := ensure()
					w.wantAction(action, err, state.Found)
				})
			})
		})
	}
}

func TestEnsure_DuplicateNamesConflict(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		first, _, err := w.EnsureAntiAffinityGroup(ctx, "masters", "")
		w.check(err)
		w.InjectFaults(site.Fault{Match: "GET /v2/anti-affinity-group", Respond: matchPattern(200, `{"anti-affinity-groups":[]}`)})
		second, action, err := w.EnsureAntiAffinityGroup(ctx, "masters", "")
		w.wantAction(action, err, state.Created)
		_, _, err = w.EnsureAntiAffinityGroup(ctx, "masters", "")
		w.wantFault(err, fault.Conflict, first, second, "delete or rename")
	})
}

func TestCheckCredentials_ValidAndInvalid(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.check(w.CheckCredentials(ctx))
		for name, client := range map[string]interface {
			CheckCredentials(context.Context) error
			Close()
		}{
			"a wrong secret": w.client(zone, key, "another"), "an unknown key": w.client(zone, "EXOother", secret),
		} {
			defer client.Close()
			err := client.CheckCredentials(ctx)
			w.t.Log(name, err)
			w.wantFault(err, fault.Denied, "check")
		}
		unknown := w.client("xx-nowhere-1", key, secret)
		defer unknown.Close()
		w.wantFault(unknown.CheckCredentials(ctx), fault.Invalid, "xx-nowhere-1", "ch-gva-2")
	})
}

func TestEnsureInstance_QuotaExceeded(t *testing.T) {
	inWorldOf(t, api.Config{Key: key, Secret: secret, Quotas: map[string]int{"instance": 0}}, func(ctx context.Context, w *world) {
		_, _, err := w.EnsureInstance(ctx, w.machine(ctx, "lb-0"))
		w.wantFault(err, fault.Quota, "create instance lb-0", "limit")
		quotas, err := w.ListQuotas(ctx)
		w.check(err)
		for _, quota := range quotas {
			if quota.Resource == "instance" && quota.Limit != 0 {
				w.t.Errorf("%+v", quota)
			}
		}
	})
}

func TestListInstanceTypes_IsCached(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		types, err := w.ListInstanceTypes(ctx)
		w.check(err)
		want := state.InstanceType{Name: "standard.extra-large", CPUs: 4, MemoryGiB: 16, Authorized: true}
		found := false
		for _, one := range types {
			found = found || cmp.Equal(one, want)
			if one.Name == "gpu3080ti.small" {
				w.t.Errorf("%s is only to be had in another zone", one.Name)
			}
		}
		if !found {
			w.t.Errorf("%+v is not among %+v", want, types)
		}
		_, err = w.ListInstanceTypes(ctx)
		w.check(err)
		if n := w.count("GET /v2/instance-type"); n != 1 {
			w.t.Errorf("listed %d times", n)
		}
	})
}
