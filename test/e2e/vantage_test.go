package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/remoterun"
	"exoshift/state"
	"exoshift/wizard/reach"
)

// scripted returns a shell script as a program to run elsewhere.
func scripted(script string, args ...string) remoterun.Program {
	return remoterun.Program{Args: args, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("#!/bin/sh\n" + script)), nil
	}}
}

// zoneLab has a real object storage, and a machine that can be rented.
func zoneLab(t *testing.T) (*rental, *remoterun.Zone, bool) {
	t.Helper()
	program := storageProgram(t)
	l, ok := newLab(t, bucketServer+" A 203.0.113.10", "good.example.net A 203.0.113.11", "closed.example.net A 203.0.113.12")
	if !ok {
		return nil, nil, false
	}
	l.runStorage(program)
	r := newRental(l)
	return r, remoterun.NewZone(remoterun.ZoneOptions{Zone: zone, Dir: t.TempDir(), Connect: r.connect}), true
}

// connect returns real clients of the storage.
func (r *rental) connect(journal state.Recorder) (remoterun.Cloud, remoterun.Storage, func(), error) {
	client, err := r.storage(journal)
	if err != nil {
		return nil, nil, nil, err
	}
	return r, client, client.Close, nil
}

func (r *rental) storage(journal state.Recorder) (*objects.Client, error) {
	world := network.Host()
	world.Roots = r.client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	return objects.New(world, zone, storageKey, storageSecret, journal)
}

// seen collects what a vantage tells.
func seen(t *testing.T) func(string) {
	t.Helper()
	return func(text string) { t.Log(text) }
}

// nothingLeft fails if the run left something, there or here.
func (r *rental) nothingLeft() {
	r.t.Helper()
	<-r.off
	client, err := r.storage(state.NoJournal{})
	must(r.t, err)
	defer client.Close()
	buckets, err := client.ListBucketDates(r.t.Context())
	must(r.t, err)
	if left := r.left(); len(buckets) > 0 || len(left) > 0 || len(r.machines) > 0 || len(r.groups) > 0 {
		r.t.Errorf("left: buckets %v, files %v, machines %v, groups %v", buckets, left, r.machines, r.groups)
	}
	if said := r.console(); r.t.Failed() {
		r.t.Logf("the machine said:\n%s", said)
	}
}

func TestZoneRun_FetchesRunsReports(t *testing.T) {
	r, runner, ok := zoneLab(t)
	if !ok {
		return
	}
	output, err := runner.Run(t.Context(), scripted(`echo "args: $# $1 $2"; cat; test -z "$(find /var/tmp -perm /077 -type f)"`, "it's", "a $HOME"), []byte("the task"), seen(t))
	if want := "args: 2 it's a $HOME\nthe task"; err != nil || string(output) != want {
		t.Errorf("%q, %v, want %q", output, err, want)
	}
	r.nothingLeft()
}

func TestZoneRun_ChecksWithExoshift(t *testing.T) {
	path := exoshift(t)
	r, runner, ok := zoneLab(t)
	if !ok {
		return
	}
	r.web("good.example.net", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	task := reach.Task{Source: reach.Zone, Authorities: string(r.authority.CertPEM()), Checks: []reach.Check{
		{ID: "LAB-001", URL: "https://good.example.net/", Severity: reach.Must},
		{ID: "LAB-002", URL: "tcp://closed.example.net:9000", Severity: reach.Must},
	}}
	input, err := json.Marshal(task)
	must(t, err)
	program := remoterun.Program{Args: []string{"probe"}, Open: func() (io.ReadCloser, error) { return os.Open(path) }}
	output, err := runner.Run(t.Context(), program, input, seen(t))
	must(t, err)
	var report reach.Report
	must(t, json.Unmarshal(output, &report))
	if len(report.Results) != 2 || told(report.Results[0]) != "ok - ++++" || told(report.Results[1]) != "fail tcp-refused +x--" || report.Results[1].Source != reach.Zone {
		t.Errorf("%+v", report)
	}
	r.nothingLeft()
}

func TestZoneRun_RefusesAlteredProgram(t *testing.T) {
	r, runner, ok := zoneLab(t)
	if !ok {
		return
	}
	ran := filepath.Join(t.TempDir(), "ran")
	r.spoil = func() { r.exchange(scripted("touch " + ran)) }
	output, err := runner.Run(t.Context(), scripted("echo fine"), nil, seen(t))
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("%q, %v", output, err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("it ran")
	}
	r.nothingLeft()
}

// exchange puts another program in the place of the one in the only bucket.
func (r *rental) exchange(program remoterun.Program) {
	client, err := r.storage(state.NoJournal{})
	must(r.t, err)
	defer client.Close()
	ctx := context.Background()
	buckets, err := client.ListBucketDates(ctx)
	must(r.t, err)
	source, err := program.Open()
	must(r.t, err)
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, err = io.Copy(writer, source)
	must(r.t, errors.Join(err, writer.Close()))
	for bucket := range buckets {
		_, err = client.EnsureObject(ctx, bucket, "program.gz", packed.Bytes())
		must(r.t, err)
	}
}

func TestZoneRun_QuotesFailure(t *testing.T) {
	r, runner, ok := zoneLab(t)
	if !ok {
		return
	}
	_, err := runner.Run(t.Context(), scripted(`echo "no memory" >&2; exit 3`), nil, seen(t))
	if err == nil || !strings.Contains(err.Error(), "3 no memory") {
		t.Errorf("error %v", err)
	}
	r.nothingLeft()
}

func TestZoneRun_StorageUnreachable(t *testing.T) {
	r, runner, ok := zoneLab(t)
	if !ok {
		return
	}
	r.alone = true
	_, err := runner.Run(t.Context(), scripted("echo fine"), nil, seen(t))
	if !errors.Is(err, remoterun.ErrNoContact) {
		t.Errorf("error %v", err)
	}
	r.nothingLeft()
}
