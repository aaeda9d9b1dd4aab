package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"net"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/state"
)

func withAgent(t *testing.T, s run.Run) run.Run {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: private}); err != nil {
		t.Fatal(err)
	}
	s.Spec.OpenShift.SSHKey = strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
	s.Agent = func(context.Context) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer func() { _ = server.Close() }()
			_ = agent.ServeAgent(ring, server)
		}()
		return client, nil
	}
	return s
}

func TestBootstrapAccess_ReportsProgress(t *testing.T) {
	long(t)
	t.Parallel()
	virtually(t, "happy", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		s = withAgent(t, s)
		out, err := finish(t, s)
		if err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
		events := eventsOf(t, out)
		inOrder(t, events, stage("release-image", "", provisioner.Done), stage("bootkube", "mco-bootstrap", provisioner.Done),
			stage("bootkube", "cb-bootstrap", provisioner.Started), stage("bootkube", "cb-bootstrap", provisioner.Done),
			stage("bootkube", "", provisioner.Done), temporary(state.Deleted), named("instance", "bootstrap"))
		inOrder(t, events, temporary(state.Updated), journaled("stage release-image"), journaled("tearing down"), temporary(state.Deleted))
		counts := map[string]int{}
		for _, e := range events {
			if e.Type == provisioner.TypeStage || e.Type == provisioner.TypeJournal && strings.HasPrefix(e.Text, "stage ") {
				counts[strings.Join([]string{string(e.Type), e.Name, e.State, e.Text}, " ")]++
			}
			if e.Type == provisioner.TypeStage && e.State == provisioner.Failed {
				t.Errorf("a stage failed: %s: %s", e.Name, e.Reason)
			}
		}
		for what, times := range counts {
			if times > 1 {
				t.Errorf("%s was told %d times", what, times)
			}
		}
		if rules := opened(t, s); len(rules) > 0 {
			t.Errorf("%v stayed open", rules)
		}
	})
}

// However a run ends, no rule stays open; the next run opens it again.
func TestBootstrapAccess_ClosedOnStop(t *testing.T) {
	long(t)
	t.Parallel()
	virtually(t, "happy", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		s = withAgent(t, s)
		first := interruptedAt(t, s, phase(state.PhaseTemporaryAPI))
		inOrder(t, first, temporary(state.Updated), stage("bootkube", "", provisioner.Started), temporary(state.Deleted))
		if rules := opened(t, s); len(rules) > 0 {
			t.Errorf("%v stayed open", rules)
		}
		second := interruptedAt(t, s, temporary(state.Updated))
		inOrder(t, second, temporary(state.Updated), temporary(state.Deleted))
	})
}

// A killed run leaves the rules behind, and the next one may have another source address.
func TestBootstrapAccess_ClosesKilledRunsRules(t *testing.T) {
	long(t)
	t.Parallel()
	virtually(t, "happy", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		s = withAgent(t, s)
		interruptedAt(t, s, phase(state.PhaseTemporaryAPI))
		b := backdoor{t, s}
		for _, description := range []string{"SSH with --bootstrap-access only", "added by hand"} {
			b.ask("POST", "/security-group/"+bootstrapGroup(b)["id"].(string)+"/rules", map[string]any{
				"flow-direction": "ingress", "protocol": "tcp", "start-port": 22, "end-port": 22, "network": "203.0.113.99/32",
				"description": description})
		}
		interruptedAt(t, s, temporary(state.Updated))
		if rules := opened(t, s); !slices.Equal(rules, []string{"added by hand"}) {
			t.Errorf("open is %q", rules)
		}
	})
}

func journalWithoutAgent(t *testing.T, s run.Run) {
	t.Helper()
	events := toldEvents(t, s)
	if e, known := find(events, func(e provisioner.Event) bool { return e.Type == provisioner.TypeStage }); known {
		t.Errorf("without an agent: %+v", e)
	}
	inOrder(t, events, journaled("stage release-image"))
}

// Access depends on the security groups, not only on the SSH key.
func TestBootstrapAccess_NeedsTemporaryRules(t *testing.T) {
	long(t)
	t.Parallel()
	virtually(t, "happy", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		s = withAgent(t, s)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var out bytes.Buffer
		watch := writerFunc(func(line []byte) {
			out.Write(line)
			if phase(state.PhaseMasters)(eventsOf(t, string(line))[0]) {
				stop()
			}
		})
		err := playedTo(ctx, t, s, watch, func(world *install.Clients) {
			world.Cloud = saboteur{Cloud: world.Cloud, rule: func(_ state.SecurityGroup, rule state.Rule) bool {
				return strings.HasSuffix(rule.Description, "with --bootstrap-access only")
			}}
		})
		if exit.Code(err) != exit.Interrupted {
			t.Fatalf("%v\n%s", err, lastLines(out.String()))
		}
		looked := func(e provisioner.Event) bool {
			return e.Type == provisioner.TypeStage || e.Type == provisioner.TypeJournal
		}
		if e, found := find(eventsOf(t, out.String()), looked); found {
			t.Errorf("somebody looked inside: %+v", e)
		}
	})
}

func stage(service, name, what string) sign {
	return func(e provisioner.Event) bool {
		return e.Type == provisioner.TypeStage && e.Name == service && e.Text == name && e.State == what
	}
}

func journaled(text string) sign {
	return func(e provisioner.Event) bool {
		return e.Type == provisioner.TypeJournal && strings.Contains(e.Text, text)
	}
}

func temporary(action state.Action) sign {
	return func(e provisioner.Event) bool {
		return e.Kind == "security-group-rule" && strings.Contains(e.Name, "temporary access") && e.Action == string(action)
	}
}

func bootstrapGroup(b backdoor) map[string]any {
	b.t.Helper()
	for _, group := range b.ask("GET", "/security-group", nil)["security-groups"].([]any) {
		if group := group.(map[string]any); strings.HasSuffix(group["name"].(string), "_bootstrap") {
			return group
		}
	}
	b.t.Fatal("there is no group of the bootstrap machine")
	return nil
}

// opened returns the descriptions of the rules of the bootstrap machine's own security group.
func opened(t *testing.T, s run.Run) (descriptions []string) {
	t.Helper()
	rules, _ := bootstrapGroup(backdoor{t, s})["rules"].([]any)
	for _, rule := range rules {
		description, _ := rule.(map[string]any)["description"].(string)
		descriptions = append(descriptions, description)
	}
	return descriptions
}
