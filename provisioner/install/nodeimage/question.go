package nodeimage

import (
	"context"
	"errors"
	"fmt"

	"exoshift/provisioner"
	"exoshift/state"
)

// RuleSlowUplink names the question whether a machine in the zone is to copy the image in the place of a slow upload from here.
const RuleSlowUplink = "slow-uplink"

// errCopyInstead ends an upload in whose place a machine in the zone copies the image.
var errCopyInstead = errors.New("a machine in the zone copies the image instead")

// SetAttended sets what reports whether a person can be asked about a slow upload. It is called before Ensure.
func (i *Image) SetAttended(attended func() bool) { i.attended = attended }

// Decide answers the question about a slow upload: provisioner.ReplyCopy or provisioner.ReplyWait; others are ignored. A reply
// that comes before the question is kept for it.
func (i *Image) Decide(reply provisioner.Reply) {
	if reply != provisioner.ReplyCopy && reply != provisioner.ReplyWait {
		return
	}
	select {
	case i.replies <- reply:
	default: // one has been given already
	}
}

func (i *Image) canAsk() bool {
	return i.transfer.Copier != nil && i.attended != nil && i.attended()
}

// handleReplies ends the upload, by stop, once a person decides that a machine in the zone copies the image.
func (u *uplink) handleReplies(ctx context.Context, stop context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case reply := <-u.image.replies:
			u.handleReply(reply, stop)
		}
	}
}

func (u *uplink) handleReply(reply provisioner.Reply, stop context.CancelCauseFunc) {
	u.mu.Lock()
	u.asked = false
	u.mu.Unlock()
	event := provisioner.Event{
		Type: provisioner.TypeDecision, Name: RuleSlowUplink, State: provisioner.Decided, Decision: string(reply), Reason: "a person decided",
		Text: "the upload of the image goes on",
	}
	if reply == provisioner.ReplyCopy && u.image.transfer.Copier != nil {
		event.Text = "a machine in the zone copies the image, and its upload from here ends"
		defer stop(errCopyInstead)
	}
	u.report(event)
}

// ask changes nothing by itself: without an answer, the upload goes on.
func (u *uplink) ask(minutes int) {
	u.report(provisioner.Event{
		Type: provisioner.TypeDecision, Name: RuleSlowUplink, State: provisioner.Asked, Decision: string(provisioner.ReplyCopy),
		Text: fmt.Sprintf("At the speed of this uplink the upload of the image takes about %d minutes. A small machine in the zone copies it within a few, "+
			"for a few cents at most, and is deleted again. Copy it in the zone?", minutes),
		Evidence: []string{fmt.Sprintf("%.2g Mbit/s leave this machine, and the download waits for them", u.rate)},
		Hint:     "Or answer nothing: the upload goes on.",
	})
}

// withdraw takes back a question that was not answered while it mattered.
func (u *uplink) withdraw() {
	u.mu.Lock()
	asked := u.asked
	u.mu.Unlock()
	if asked {
		u.report(provisioner.Event{Type: provisioner.TypeDecision, Name: RuleSlowUplink, State: provisioner.Gone, Text: "no decision needed any more: the upload has ended"})
	}
}

// recordMinutes is for the proposals of the next run, and nothing else depends on it.
func (u *uplink) recordMinutes(minutes int) {
	_ = u.image.facts.Update(func(facts *state.Facts) { facts.UploadMinutes = minutes })
}
