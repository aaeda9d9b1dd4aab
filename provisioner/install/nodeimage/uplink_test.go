package nodeimage

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

const mega = 1_000_000

// wallClock is a provisioner.Clock.
type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

func (wallClock) Sleep(_ context.Context, d time.Duration) error {
	time.Sleep(d)
	return nil
}

type noCopier struct{ Copier }

// halfDone is a download of which the half is done.
type halfDone struct{ io.Reader }

func (halfDone) Fraction() float64 { return 0.5 }

// observedUpload reads and sends an image of 2500 MB, of which the download has the half, in steps of a second until about a minute
// has passed. perSecond is in bytes; reading takes that part of the time.
func observedUpload(t *testing.T, transfer Transfer, perSecond int, reading time.Duration) (seen string, facts state.Facts) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		store := state.NewFactsStore(state.Facts{}, func(state.Facts) error { return nil })
		image := New(state.Spec{}, nil, nil, transfer, nil, nil, store)
		var texts []string
		u := image.newUplink(func(e provisioner.Event) { texts = append(texts, e.Text) })
		content := u.measure(halfDone{zeros{}}, slowReader{iotest.OneByteReader(zeros{}), reading})
		u.mu.Lock()
		u.read = 1250*mega - 60 // the rest is read below
		u.mu.Unlock()
		for range 60 {
			_, _ = content.Read(make([]byte, 1))
			time.Sleep(time.Second - reading)
			u.countSent(perSecond)
			u.emitProgress("downloading")
		}
		seen, facts = strings.Join(texts, "\n"), store.Get()
	})
	return seen, facts
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

type slowReader struct {
	io.Reader
	delay time.Duration
}

func (r slowReader) Read(p []byte) (int, error) {
	time.Sleep(r.delay)
	return r.Reader.Read(p)
}

func TestUplink_ProposesCopyWhereSlow(t *testing.T) {
	measured := Transfer{Copier: noCopier{}, Clock: wallClock{}, Command: "exoshift install --image-from zone"}
	seen, facts := observedUpload(t, measured, 10*mega/8, 0) // 10 Mbit/s
	if strings.Count(seen, measured.Command) != 1 || !strings.Contains(seen, "takes about 33 minutes") || facts.UploadMinutes != 33 {
		t.Errorf("%d minutes are noted; the progress was\n%s", facts.UploadMinutes, seen)
	}
	if !strings.HasSuffix(seen, "downloading; the upload takes about 33 minutes from here") {
		t.Errorf("the progress ends with\n%s", seen[max(0, len(seen)-200):])
	}
}

func TestUplink_ProposesNothing(t *testing.T) {
	measured := Transfer{Copier: noCopier{}, Clock: wallClock{}, Command: "exoshift install --image-from zone"}
	withoutCommand, withoutCopier := measured, measured
	withoutCommand.Command, withoutCopier.Copier = "", nil
	for name, c := range map[string]struct {
		transfer Transfer
		rate     int // bytes a second
		reading  time.Duration
	}{
		"quick uplink":    {measured, 5 * mega, 0},
		"slow download":   {measured, mega, 800 * time.Millisecond},
		"without command": {withoutCommand, mega, 0},
		"without copier":  {withoutCopier, mega, 0},
	} {
		t.Run(name, func(t *testing.T) {
			seen, facts := observedUpload(t, c.transfer, c.rate, c.reading)
			if strings.Contains(seen, "minutes") || facts.UploadMinutes != 0 {
				t.Errorf("%d minutes are noted; the progress was\n%s", facts.UploadMinutes, seen)
			}
		})
	}
}
