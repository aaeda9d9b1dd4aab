package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/state"
)

// The bootstrap ends in this order: completion, removal of its etcd member, removal from the load balancers, deletion of the
// machine. An interrupted run resumes it, and no name resolves to an address that may belong to another machine by then.
func TestBootstrapMachine_DeletedLast(t *testing.T) {
	long(t)
	t.Parallel()
	virtually(t, "happy", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		first := interruptedAt(t, s, draining)
		inOrder(t, first, phase(state.PhaseComplete), memberGone, named("dns-record", "bootstrap A"), draining)
		if _, deleted := find(first, named("instance", "bootstrap")); deleted {
			t.Error("the machine was deleted while the load balancers may know it")
		}
		out, err := finish(t, s)
		if err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
		second := eventsOf(t, out)
		inOrder(t, second, phase(state.PhaseComplete), draining, named("instance", "bootstrap"), phase(state.PhaseStable))
		began, _ := find(second, draining)
		if ended, _ := find(second, named("instance", "bootstrap")); ended.Time.Sub(began.Time) < 92*time.Second {
			t.Errorf("the machine was deleted %s after its names", ended.Time.Sub(began.Time))
		}
	})
}

type sign func(provisioner.Event) bool

func phase(name string) sign {
	return func(e provisioner.Event) bool { return e.Type == provisioner.TypeBootstrap && e.Phase == name }
}

// named is the deletion of an object with that prefix.
func named(kind, prefix string) sign {
	return func(e provisioner.Event) bool {
		return e.Kind == kind && strings.HasPrefix(e.Name, prefix) && e.Action == string(state.Deleted)
	}
}

func memberGone(e provisioner.Event) bool {
	return e.Type == provisioner.TypeEtcd && len(e.Members) == 3 && e.Members[0].Name != "etcd-bootstrap"
}

func draining(e provisioner.Event) bool {
	return e.Step == "remove-bootstrap" && e.State == provisioner.Progress && strings.Contains(e.Text, "until no load balancer and resolver uses it")
}

func find(events []provisioner.Event, wanted sign) (provisioner.Event, bool) {
	for _, e := range events {
		if wanted(e) {
			return e, true
		}
	}
	return provisioner.Event{}, false
}

func inOrder(t *testing.T, events []provisioner.Event, signs ...sign) {
	t.Helper()
	last := 0
	for n, wanted := range signs {
		e, found := find(events, wanted)
		if !found || e.Seq < last {
			t.Errorf("sign %d: found %t, event %d after event %d", n+1, found, e.Seq, last)
		}
		last = e.Seq
	}
}

// interruptedAt interrupts the installation at an event.
func interruptedAt(t *testing.T, s run.Run, wanted sign) []provisioner.Event {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out bytes.Buffer
	watch := writerFunc(func(line []byte) {
		out.Write(line)
		if wanted(eventsOf(t, string(line))[0]) {
			stop()
		}
	})
	if err := installWith(ctx, s, cli.Streams{Out: watch, Err: os.Stderr}); exit.Code(err) != exit.Interrupted {
		t.Fatalf("%v\n%s", err, lastLines(out.String()))
	}
	return eventsOf(t, out.String())
}
