package nodeimage

import (
	"context"
	"io"
	"slices"
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
	events, facts := uploadBeside(t, transfer, perSecond, reading, nil)
	texts := make([]string, len(events))
	for n, e := range events {
		texts[n] = e.Text
	}
	return strings.Join(texts, "\n"), facts
}

func uploadBeside(t *testing.T, transfer Transfer, perSecond int, reading time.Duration, attended func() bool) (events []provisioner.Event, facts state.Facts) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		store := state.NewFactsStore(state.Facts{}, func(state.Facts) error { return nil })
		image := New(state.Spec{}, nil, nil, transfer, nil, nil, store)
		image.SetAttended(attended)
		u := image.newUplink(func(e provisioner.Event) { events = append(events, e) })
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
		u.withdraw()
		facts = store.Get()
	})
	return events, facts
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

func TestUplink_AsksPerson(t *testing.T) {
	slow := Transfer{Copier: noCopier{}, Clock: wallClock{}, Command: "exoshift install --image-from zone"}
	for name, c := range map[string]struct {
		attended bool
		want     []string // states of decisions
	}{
		"on a terminal": {true, []string{provisioner.Asked, provisioner.Gone}},
		"without one":   {false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			events, facts := uploadBeside(t, slow, 10*mega/8, 0, func() bool { return c.attended })
			var states []string
			for _, e := range events {
				if e.Type != provisioner.TypeDecision {
					if proposed := strings.Contains(e.Text, slow.Command); proposed && c.attended {
						t.Errorf("proposed although a person is asked: %s", e.Text)
					}
					continue
				}
				states = append(states, e.State)
				if e.Name != RuleSlowUplink || e.State == provisioner.Asked && (e.Decision != string(provisioner.ReplyCopy) || !strings.Contains(e.Text, "33 minutes") || !strings.HasPrefix(e.Evidence[0], "10 Mbit/s")) {
					t.Errorf("the question is %+v", e)
				}
			}
			if !slices.Equal(states, c.want) || facts.UploadMinutes != 33 {
				t.Errorf("decisions are %q, want %q; %d minutes are noted", states, c.want, facts.UploadMinutes)
			}
		})
	}
}

// endlessSource is a download that never ends, and endlessObjects an upload that reads it until it is stopped.
type (
	endlessSource  struct{ Source }
	endlessObjects struct{ Objects }
)

func (endlessSource) OpenImage(context.Context, state.BootImage, func(string)) (io.ReadCloser, error) {
	return io.NopCloser(zeros{}), nil
}

func (endlessObjects) Upload(ctx context.Context, _, _ string, _ io.Reader, _ func(int)) error {
	<-ctx.Done()
	return ctx.Err()
}

type recordingCopier struct {
	Copier
	copies int
}

func (c *recordingCopier) Copy(context.Context, state.BootImage, string, string, func(string)) (string, error) {
	c.copies++
	return "sum", nil
}

func TestImage_CopiesOnceDecided(t *testing.T) {
	for reply, copies := range map[provisioner.Reply]int{provisioner.ReplyCopy: 1, provisioner.ReplyWait: 0, provisioner.ReplyStop: 0} {
		t.Run(string(reply), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithTimeout(t.Context(), time.Hour)
				defer stop()
				copier := &recordingCopier{}
				image := New(state.Spec{}, nil, endlessObjects{}, Transfer{Source: endlessSource{}, Copier: copier, Clock: wallClock{}}, nil, nil,
					state.NewFactsStore(state.Facts{}, func(state.Facts) error { return nil }))
				image.SetAttended(func() bool { return true })
				go func() {
					time.Sleep(time.Minute)
					image.Decide(reply)
				}()
				sum, err := image.transferImage(ctx, func(provisioner.Event) {}, state.BootImage{}, "bucket", "key")
				if copier.copies != copies || (err == nil) != (copies == 1) || err == nil && sum != "sum" {
					t.Errorf("%d copies, %q, %v", copier.copies, sum, err)
				}
			})
		})
	}
}
