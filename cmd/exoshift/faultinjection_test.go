package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/install"
	"exoshift/state"
)

// saboteur is a cloud client with one injected mistake.
type saboteur struct {
	install.Cloud
	rule     func(state.SecurityGroup, state.Rule) bool // true: omitted
	record   func(state.Record) state.Record            // an empty result: omitted
	userData func(machine string, document []byte) []byte
	detached bool
}

func (s saboteur) EnsureSecurityGroup(ctx context.Context, group state.SecurityGroup) (string, state.Action, error) {
	if s.rule != nil {
		group.Rules = slices.DeleteFunc(slices.Clone(group.Rules), func(rule state.Rule) bool { return s.rule(group, rule) })
	}
	return s.Cloud.EnsureSecurityGroup(ctx, group)
}

func (s saboteur) EnsureRecord(ctx context.Context, zone string, record state.Record) (state.Action, error) {
	if s.record != nil {
		if record = s.record(record); record.Type == "" {
			return state.Found, nil
		}
	}
	return s.Cloud.EnsureRecord(ctx, zone, record)
}

func (s saboteur) EnsureInstances(ctx context.Context, instances []state.Instance, observer state.InstanceObserver) error {
	for n := range instances {
		if s.userData != nil {
			instances[n].UserData = s.userData(instances[n].Name, instances[n].UserData)
		}
	}
	return s.Cloud.EnsureInstances(ctx, instances, observer)
}

func (s saboteur) EnsureAttached(ctx context.Context, ip, instance string) (state.Action, error) {
	if s.detached {
		return state.Found, nil
	}
	return s.Cloud.EnsureAttached(ctx, ip, instance)
}

// The simulated zone is as strict as the real one: each wrong detail breaks the installation where it would in reality.
func TestInstall_WrongDetailFails(t *testing.T) {
	long(t)
	without := func(group string, port int) func(state.SecurityGroup, state.Rule) bool {
		return func(g state.SecurityGroup, r state.Rule) bool {
			return strings.HasSuffix(g.Name, group) && r.From <= port && port <= r.To
		}
	}
	replaced := func(machines, old, by string) func(string, []byte) []byte {
		return func(machine string, document []byte) []byte {
			if !strings.HasPrefix(machine, machines) {
				return document
			}
			return bytes.Replace(document, []byte(old), []byte(by), 1)
		}
	}
	for name, c := range map[string]struct {
		how  saboteur
		code int
		says string
	}{
		"load balancers without the elastic IPs": {saboteur{detached: true}, exit.Infra, "reaches none of them:"},
		"a bootstrap.ign of another hash":        {saboteur{userData: replaced("bootstrap", "sha512-", "sha512-0000")}, exit.Bootstrap, "The bootstrap machine has not started the API."},
		"masters that trust nobody": {saboteur{userData: replaced("master", "certificateAuthorities", "certificateOrphans")},
			exit.ControlPlane, "not registered: master-0, master-1, master-2"},
		"peers of etcd that are closed": {saboteur{rule: without("_control_plane", 2380)}, exit.ControlPlane, "port 2379-2380/tcp is blocked"},
		"api-int that leads nowhere": {saboteur{record: func(r state.Record) state.Record {
			if r.Name == "api-int" {
				r.Content = "192.0.2.9"
			}
			return r
		}}, exit.ControlPlane, "not registered: master-0, master-1, master-2"},
		"workers that ask for an unknown pool": {saboteur{userData: replaced("worker", "/config/worker", "/config/nothing")}, exit.Nodes, "not registered: worker-0, worker-1, worker-2"},
		"applications without a name": {saboteur{record: func(r state.Record) state.Record {
			if strings.HasPrefix(r.Name, "*.") {
				return state.Record{}
			}
			return r
		}}, exit.Operators, "waiting on authentication, console"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			virtually(t, "happy", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
				out, err := sabotaged(t, s, c.how)
				if exit.Code(err) != c.code || !strings.Contains(out, c.says) {
					t.Errorf("exit code %d, not %d; %v\n%s", exit.Code(err), c.code, err, lastLines(out))
				}
			})
		})
	}
}

func sabotaged(t *testing.T, s run.Run, how saboteur) (string, error) {
	t.Helper()
	return played(t, s, func(world *install.Clients) {
		how.Cloud = world.Cloud
		world.Cloud = how
	})
}

// played runs the recipe with altered clients and returns its output.
func played(t *testing.T, s run.Run, alter func(*install.Clients)) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := playedTo(t.Context(), t, s, &out, alter)
	return out.String(), err
}

// playedTo runs the recipe with altered clients, if alter is not nil, until ctx ends.
func playedTo(ctx context.Context, t *testing.T, s run.Run, out io.Writer, alter func(*install.Clients)) error {
	t.Helper()
	s.Alter = alter
	return installWith(ctx, s, cli.Streams{Out: out, Err: os.Stderr})
}
