package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"exoshift/internal/app/exit"
	"exoshift/internal/network"
	"exoshift/internal/simcloud/store"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/objects"
	"exoshift/state"
)

func TestSimulate_LocksZoneFolder(t *testing.T) {
	if got := exit.Code(fmt.Errorf("open: %w", store.ErrInUse)); got != exit.Locked {
		t.Errorf("exit code %d", got)
	}
}

// source FILE sets the variables that a file exports.
func source(ts *testscript.TestScript, _ bool, args []string) {
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if !ok {
			ts.Fatalf("not an export: %s", line)
		}
		ts.Setenv(name, strings.Trim(value, "'"))
	}
}

// terminate sends SIGTERM to every background program, as an init system does.
func terminate(ts *testscript.TestScript, _ bool, _ []string) {
	for _, command := range ts.BackgroundCmds() {
		ts.Check(command.Process.Signal(syscall.SIGTERM))
	}
}

// client is the program "client", which is configured by its environment only: "make NAME" creates a security group and an
// object in a bucket, "find NAME" requires that they exist.
func client() {
	if err := visit(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func visit(ctx context.Context, verb, name string) error {
	zone, key, secret := os.Getenv("EXOSCALE_ZONE"), os.Getenv("EXOSCALE_API_KEY"), os.Getenv("EXOSCALE_API_SECRET")
	cloud, err := exoscale.New(network.Host(), zone, key, secret, state.NoJournal{})
	if err != nil {
		return err
	}
	storage, err := objects.New(network.Host(), zone, key, secret, state.NoJournal{})
	if err != nil {
		return err
	}
	want := state.Created
	if verb == "find" {
		want = state.Found
	}
	for what, ensure := range map[string]func() (state.Action, error){
		"group": func() (action state.Action, err error) {
			_, action, err = cloud.EnsureSecurityGroup(ctx, state.SecurityGroup{Name: name, Description: "of a script"})
			return action, err
		},
		"bucket": func() (state.Action, error) { return storage.EnsureBucket(ctx, name) },
	} {
		if got, err := ensure(); err != nil || got != want {
			return fmt.Errorf("the %s is %s, not %s: %w", what, got, want, err)
		}
	}
	if got, err := storage.EnsureObject(ctx, name, "key", []byte("content")); err != nil || got != want {
		return fmt.Errorf("the object is %s, not %s: %w", got, want, err)
	}
	return nil
}
