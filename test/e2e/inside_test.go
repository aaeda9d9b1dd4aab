package e2e

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/ignition"
	"exoshift/internal/fault"
	"exoshift/state"
)

// look waits for a look that begins as soon as the machine may be looked into again.
func (b *bootstrap) collect() (state.BootstrapHost, error) {
	b.t.Helper()
	for range 400 {
		seen, err := b.Collect(b.t.Context(), netip.MustParseAddr("127.0.0.1"))
		if err != nil || !seen.At.IsZero() {
			return seen, err
		}
		wait(50 * time.Millisecond)
	}
	b.t.Fatal("a look does not end")
	return state.BootstrapHost{}, nil
}

func TestBootstrapHost_RecordsBySSH(t *testing.T) {
	b, ok := newBootstrap(t)
	if !ok {
		return
	}
	b.runSSH()
	b.runGateway()
	seen, err := b.collect()
	if err != nil || len(seen.Services) > 0 {
		t.Fatalf("before there are any: %+v, %v", seen, err)
	}
	b.records(map[string]string{
		"bootkube.json":      `[{"timestamp":"2026-01-02T03:04:05Z","phase":"service start"},{"timestamp":"2026-01-02T03:04:06Z","phase":"stage start","stage":"cb-bootstrap"}]` + "\n",
		"release-image.json": `[{"timestamp":"2026-01-02T03:03:05Z","phase":"service start"},{"timestamp":"2026-01-02T03:04:05Z","phase":"service end","result":"success"}]`,
	})
	if seen, err = b.collect(); err != nil {
		t.Fatal(err)
	}
	want := []state.ServiceRecord{
		{Service: "bootkube", Starts: 1, Stage: "cb-bootstrap", Since: time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)},
		{Service: "release-image", Starts: 1, Since: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Done: true},
	}
	if diff := cmp.Diff(want, seen.Services); diff != "" {
		t.Error(diff)
	}
}

func TestBootstrapHost_RefusesOtherKey(t *testing.T) {
	b, ok := newBootstrap(t)
	if !ok {
		return
	}
	b.runSSH()
	b.runGateway()
	var err error
	b.folder[state.IdentityFile], err = ignition.NewIdentity(time.Now())
	must(t, err)
	if _, err := b.collect(); !fault.Is(err, fault.Conflict) {
		t.Errorf("error %v", err)
	}
}

func TestBootstrapHost_JournalOnceAndWhole(t *testing.T) {
	b, ok := newBootstrap(t)
	if !ok {
		return
	}
	b.log("NetworkManager.service", "not asked for")
	var want []string
	for n := range 300 {
		want = append(want, fmt.Sprintf("line %d", n))
	}
	b.log("bootkube.service", want...)
	b.log("approve-csr.service", "a \x1b[31mred\x1b[0m line")
	b.runGateway()
	b.runSSH()
	seen, err := b.collect()
	must(t, err)
	got := texts(seen)
	const last = "a red line"
	if len(got) < 200 || got[len(got)-1] != last || got[len(got)-2] != "line 299" {
		t.Fatalf("%d lines, the last are %q", len(got), got[max(0, len(got)-3):])
	}
	if seen, err = b.collect(); err != nil || len(seen.Lines) > 0 {
		t.Fatalf("without anything new: %+v, %v", texts(seen), err)
	}
	b.log("bootkube.service", "one more", "and another")
	seen, err = b.collect()
	must(t, err)
	if diff := cmp.Diff([]string{"one more", "and another"}, texts(seen)); diff != "" {
		t.Error(diff)
	}
	if age := time.Since(seen.Lines[0].At); age < 0 || age > time.Minute {
		t.Errorf("a line that was just written is %s old", age)
	}
}

func texts(seen state.BootstrapHost) (lines []string) {
	for _, line := range seen.Lines {
		lines = append(lines, line.Text)
	}
	return lines
}
