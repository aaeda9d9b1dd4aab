package nodeimage

import (
	"fmt"
	"io"
	"sync"
	"time"

	"exoshift/provisioner"
)

const (
	// slowUpload is the duration from which on another way is proposed.
	slowUpload = 10 * time.Minute
	// warmUp is left out of the measurement: the network takes the first bytes into its buffers.
	warmUp = 5 * time.Second
	// minMeasurement is the shortest one that says something.
	minMeasurement = 20 * time.Second
)

// uplink measures an upload through this machine, and proposes the copy by a machine in the zone if the upload is slow because of this
// machine's uplink.
type uplink struct {
	image  *Image
	report provisioner.Report

	mu       sync.Mutex
	fraction func() float64 // of the download; nil: unknown
	read     int64          // bytes of the image that were read
	waited   time.Duration  // for them
	sent     int64          // bytes
	first    time.Time      // when the first bytes were sent
	base     measuredUpload // at the end of the warm-up
	note     string         // added to the progress once a proposal was made
	rate     float64        // Mbit/s, as measured for the proposal
	asked    bool           // a person, who has not answered
}

type measuredUpload struct {
	at     time.Time
	sent   int64
	waited time.Duration
}

func (i *Image) newUplink(report provisioner.Report) *uplink {
	return &uplink{image: i, report: report}
}

func (u *uplink) isMeasured() bool {
	t := u.image.transfer
	return t.Clock != nil && t.Copier != nil && (t.Command != "" || u.image.attended != nil)
}

// emitProgress emits the progress of the download, with the proposal.
func (u *uplink) emitProgress(text string) {
	u.mu.Lock()
	note := u.note
	u.mu.Unlock()
	u.report.EmitProgress(text + note)
}

// measure returns content, of which it measures how long it is waited for. from is the download.
func (u *uplink) measure(from io.Reader, content io.Reader) io.Reader {
	if download, known := from.(interface{ Fraction() float64 }); known {
		u.fraction = download.Fraction
	}
	if !u.isMeasured() {
		return content
	}
	return &measuredReader{u, content}
}

type measuredReader struct {
	uplink  *uplink
	content io.Reader
}

// Read implements io.Reader.
func (r *measuredReader) Read(into []byte) (int, error) {
	clock := r.uplink.image.transfer.Clock
	began := clock.Now()
	n, err := r.content.Read(into)
	r.uplink.mu.Lock()
	defer r.uplink.mu.Unlock()
	r.uplink.read += int64(n)
	r.uplink.waited += clock.Now().Sub(began)
	return n, err
}

// countSent is called from several goroutines.
func (u *uplink) countSent(bytes int) {
	if !u.isMeasured() {
		return
	}
	u.mu.Lock()
	u.sent += int64(bytes)
	now := u.image.transfer.Clock.Now()
	var total time.Duration
	switch {
	case u.note != "":
	case u.first.IsZero():
		u.first = now
	case u.base.at.IsZero() && now.Sub(u.first) >= warmUp:
		u.base = measuredUpload{now, u.sent, u.waited}
	case !u.base.at.IsZero() && now.Sub(u.base.at) >= minMeasurement:
		total = u.estimate(now)
	}
	propose := total > slowUpload
	minutes := int(total.Minutes() + 0.5)
	if propose {
		u.note = fmt.Sprintf("; the upload takes about %d minutes from here", minutes)
		u.rate = float64(u.sent-u.base.sent) * 8 / 1e6 / now.Sub(u.base.at).Seconds()
		u.asked = u.image.canAsk()
	}
	u.mu.Unlock()
	if propose {
		u.propose(minutes)
	}
}

// estimate returns how long the whole upload takes at the measured speed, or 0 if that is unknown or if the download is what takes the
// time.
func (u *uplink) estimate(now time.Time) time.Duration {
	elapsed, sent := now.Sub(u.base.at), u.sent-u.base.sent
	if u.fraction == nil || sent <= 0 || u.waited-u.base.waited > elapsed/2 {
		return 0
	}
	fraction := min(u.fraction(), 1)
	if fraction <= 0 {
		return 0
	}
	size := float64(u.read) / fraction
	return time.Duration(size / float64(sent) * float64(elapsed))
}

// propose changes nothing: the upload goes on.
func (u *uplink) propose(minutes int) {
	u.recordMinutes(minutes)
	switch {
	case u.asked:
		u.ask(minutes)
	case u.image.transfer.Command != "":
		u.report.EmitProgress(fmt.Sprintf("at the speed of this uplink the upload of the image takes about %d minutes; a machine in the zone copies it "+
			"in a few, for a few cents at most: stop this run, and resume with: %s", minutes, u.image.transfer.Command))
	}
}
