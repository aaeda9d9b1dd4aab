package main

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/state"
)

// refusal is a problem that the preflight must find before anything is created.
type refusal struct {
	circumstances
	before func(b backdoor)               // sets up the problem
	change func(t *testing.T, s *run.Run) // sets up the problem
	code   int
	says   []string // expected in operation and cause
	hint   string   // a part of it
}

func TestPreflight_RefusesBeforeChanges(t *testing.T) {
	for name, c := range refusals() {
		t.Run(name, c.isRefused)
	}
}

func (c refusal) isRefused(t *testing.T) {
	t.Parallel()
	virtuallyIn(t, c.circumstances, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		if c.before != nil {
			c.before(backdoor{t, s})
		}
		if c.change != nil {
			c.change(t, &s)
		}
		before := zone.Mutations()
		// A plan shows quotas, and does not know the image before openshift-install returns its name.
		if _, err := s.Preview(t.Context()); exit.Code(err) != c.code && err != nil {
			t.Errorf("a plan ends with exit code %d: %v", exit.Code(err), err)
		}
		err := installWith(t.Context(), s, cli.Streams{Out: new(bytes.Buffer), Err: new(bytes.Buffer)})
		if made := zone.Mutations() - before; made != 0 {
			t.Errorf("%d mutating calls were made", made)
		}
		if exit.Code(err) != c.code {
			t.Errorf("exit code %d, not %d: %v", exit.Code(err), c.code, err)
		}
		for _, part := range c.says {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%v does not say %q", err, part)
			}
		}
		if !strings.Contains(fault.HintOf(err), c.hint) || c.hint == "" {
			t.Errorf("the hint %s lacks %q", fault.HintOf(err), c.hint)
		}
	})
}

func refusals() map[string]refusal {
	return map[string]refusal{
		"a zone that does not exist": {
			change: func(_ *testing.T, s *run.Run) { s.Spec.Exoscale.Zone = "ch-gva-9" }, code: exit.Answers,
			says: []string{"ch-gva-9"}, hint: "ch-gva-2",
		},
		"a key that was revoked": {
			change: func(_ *testing.T, s *run.Run) { s.Secrets.APIKey = "EXO0123456789abcdef01234567" }, code: exit.Denied,
			says: []string{"credentials"}, hint: "API key",
		},
		"a secret of another key": {
			change: func(_ *testing.T, s *run.Run) { s.Secrets.APISecret = "another" }, code: exit.Denied,
			says: []string{"credentials"}, hint: "secret",
		},
		"a key that may only read compute": {
			change: readsCompute, code: exit.Denied,
			says: []string{"no permission to list load-balancer, block-volume, block-snapshot, snapshot, private-network, security-group, anti-affinity-group, template, dns-zone, api-key, iam-role, ssh-key, bucket"},
			hint: "compute, dns, iam and sos",
		},
		"a clock that is ahead": {
			circumstances: circumstances{middleware: dated(-3 * time.Minute)}, code: exit.Checks,
			says: []string{"this machine's clock is 3m0s ahead of Exoscale's"}, hint: "timedatectl",
		},
		"a type that the zone does not offer": {
			circumstances: circumstances{spec: func(s *state.Spec) { s.Sizing.Workers.Type = "standard.titanic" }}, code: exit.Answers,
			says: []string{"zone ch-gva-2 does not offer standard.titanic", "worker-0"}, hint: "sizing",
		},
		"a type that the organization may not use": {
			circumstances: circumstances{spec: func(s *state.Spec) { s.Sizing.Workers.Type = "gpua30.small" }}, code: exit.Quota,
			says: []string{"gpua30.small", "worker-0"}, hint: "authorize",
		},
		"a disk below the template's size": {
			circumstances: circumstances{spec: func(s *state.Spec) { s.Sizing.LoadBalancers.RootDisk = 5 }}, code: exit.Answers,
			says: []string{"lb-0 (5 GiB)", "lb-1 (5 GiB)", "10 GiB"}, hint: "rootDisk",
		},
		"a template name that matches several": {
			circumstances: circumstances{middleware: twoTemplates}, code: exit.Checks,
			says: []string{"rhcos-", "6f1fd4f4-0000-4000-8000-000000000001", "6f1fd4f4-0000-4000-8000-000000000002"}, hint: "delete",
		},
		"no such hypervisors": {
			circumstances: circumstances{spec: func(s *state.Spec) { s.Exoscale.DeployTarget = "dedicated-9" }}, code: exit.Checks,
			says: []string{"dedicated-9"}, hint: "dedicated-1",
		},
		"quotas of every kind": {
			circumstances: circumstances{quotas: map[string]int{"instance": 10, "elastic-ip": 1, "bucket": 2, "iam-key": 1, "template": 0}}, code: exit.Quota,
			says: []string{
				"instance: needs 16 more, 0 in use, 10 allowed, 16 afterwards", "elastic-ip: needs 2 more, 0 in use, 1 allowed",
				"bucket: needs 5 more, 0 in use, 2 allowed", "iam-key: needs 3 more", "template: needs 1 more, 0 in use, 0 allowed",
			}, hint: "higher limits",
		},
		"an elastic IP with our name and another label": {
			before: func(b backdoor) {
				b.ask(http.MethodPost, "/elastic-ip", map[string]any{"description": "c-demo-1_api", "labels": map[string]string{"owner": "somebody"}})
			}, code: exit.Checks,
			says: []string{"elastic-ip c-demo-1_api"}, hint: "cluster.id",
		},
		"a role with our name and no label": {
			before: func(b backdoor) {
				b.ask(http.MethodPost, "/iam-role", map[string]any{"name": "c-demo-1_object_storage", "policy": onlyCompute()})
			}, code: exit.Checks,
			says: []string{"iam-role c-demo-1_object_storage"}, hint: "cluster.id",
		},
		"a machine of the cluster that another folder started": {
			before: func(b backdoor) {
				b.ask(http.MethodPost, "/instance", map[string]any{
					"name": "master-0", "labels": map[string]string{"exoshift-cluster": "c-demo-1", "exoshift-role": "master"}, "disk-size": 50,
					"template":      map[string]string{"id": b.id("/template?visibility=public", "templates", "name", "Linux Ubuntu 24.04 LTS 64-bit")},
					"instance-type": map[string]any{"id": b.list("/instance-type", "instance-types")[0]["id"]},
				})
			}, code: exit.Checks,
			says: []string{"cluster c-demo-1 already has machines, master-0"}, hint: "--dir",
		},
		"a bucket that is marked as another cluster's": {
			before: func(b backdoor) { b.bucket("c-alpha", "c-alpha-logstore", "") },
			change: func(_ *testing.T, s *run.Run) { s.Spec.ObjectStorage.BucketPrefix = "c-alpha" }, code: exit.Checks,
			says: []string{"c-alpha-logstore (it is marked as owned by cluster c-alpha)"}, hint: "objectStorage.bucketPrefix",
		},
		// Earlier versions had no tags; a label proves that the other cluster exists.
		"a bucket that has the name of another cluster's": {
			before: func(b backdoor) {
				b.bucket("", "c-alpha-logstore", "")
				b.ask(http.MethodPost, "/elastic-ip", map[string]any{"labels": map[string]string{state.LabelCluster: "c-alpha"}})
			},
			change: func(_ *testing.T, s *run.Run) { s.Spec.ObjectStorage.BucketPrefix = "c-alpha" }, code: exit.Checks,
			says: []string{"c-alpha-logstore (it has no owner mark, and there is a cluster c-alpha)"}, hint: "objectStorage.bucketPrefix",
		},
		// An installation deletes this bucket as soon as the image is registered.
		"a bucket that holds something else": {
			before: func(b backdoor) { b.bucket("", "c-demo-1-image", "photos/team.jpg") }, code: exit.Checks,
			says: []string{"c-demo-1-image (it contains objects, and neither an owner mark nor the journal"}, hint: "objectStorage.bucketPrefix",
		},
		"a bucket of someone else": {
			circumstances: circumstances{middleware: foreignBucket("c-demo-1-cluster-backup")}, code: exit.Checks,
			says: []string{"c-demo-1-cluster-backup"}, hint: "objectStorage.bucketPrefix",
		},
	}
}

func onlyCompute() map[string]any {
	return map[string]any{"default-service-strategy": "deny", "services": map[string]any{"compute": map[string]any{
		"type": "rules", "rules": []any{map[string]string{"action": "allow", "expression": "operation.startsWith('list-instance') || operation in ['list-zones', 'list-quotas', 'list-elastic-ips']"}},
	}}}
}

// readsCompute gives the installation a key with partial read permissions.
func readsCompute(t *testing.T, s *run.Run) {
	b := backdoor{t, *s}
	b.ask(http.MethodPost, "/iam-role", map[string]any{"name": "reader", "policy": onlyCompute()})
	_, key := b.try(http.MethodPost, "/api-key", map[string]any{"name": "reader", "role-id": b.id("/iam-role", "iam-roles", "name", "reader")})
	s.Secrets.APIKey, s.Secrets.APISecret = key["key"].(string), key["secret"].(string)
}

// dated shifts the API's clock.
func dated(by time.Duration) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Date", time.Now().Add(by).UTC().Format(http.TimeFormat))
			next.ServeHTTP(w, r)
		})
	}
}

// twoTemplates returns two templates of the requested name.
func twoTemplates(next http.Handler) http.Handler {
	one := func(id, checksum string) map[string]any {
		return map[string]any{"id": id, "name": "rhcos-9.6.20251212-1", "size": 16 << 30, "visibility": "private", "checksum": checksum}
	}
	return privateTemplates(next, one("6f1fd4f4-0000-4000-8000-000000000001", "0cc175b9c0f1b6a831c399e269772661"),
		one("6f1fd4f4-0000-4000-8000-000000000002", "92eb5ffee6ae2fec3ad71c777531578f"))
}

// foreignBucket changes the owner of a bucket.
func foreignBucket(name string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.Host+r.URL.Path, name+".sos-") || strings.HasPrefix(r.Host, "sos-") && strings.HasPrefix(r.URL.Path, "/"+name) {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}
