package watch

import (
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
)

func newFatalFinding() []diagnosis.Finding {
	return []diagnosis.Finding{{Rule: "address-clash", Cause: "They clash.", Fix: "Choose others.", Disposition: diagnosis.Stop, Blocks: diagnosis.Operators}}
}

func TestResponder_StopsUnattended(t *testing.T) {
	for name, c := range map[string]struct {
		response Response
		attended bool
		reply    provisioner.Reply // given from elsewhere; "": none
		want     time.Duration     // after which the run stops; 0: it goes on
	}{
		"there is no terminal to ask on": {want: stopDelay},
		"waits on failure":               {response: Response{WaitOnFailure: true}},
		"asks a person":                  {attended: true},
		"a person says wait":             {reply: provisioner.ReplyWait},
		"a person says stop":             {reply: provisioner.ReplyStop, want: time.Nanosecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newResponder(Deps{Clock: network.Clock{}, Response: c.response})
				r.attended = func() bool { return c.attended }
				if c.reply != "" {
					r.answer("address-clash", c.reply)
				}
				began, asked := time.Now(), 0
				report := func(e provisioner.Event) {
					if e.State == provisioner.Asked {
						asked++
					}
				}
				for time.Since(began) < 10*time.Minute && r.getVerdict() == nil {
					r.respond(t.Context(), report, newFatalFinding())
					time.Sleep(pollInterval)
				}
				took := time.Since(began)
				if stopped := r.getVerdict() != nil; stopped != (c.want > 0) || stopped && took > c.want+pollInterval {
					t.Errorf("stopped: %t, after %s", stopped, took)
				}
				if (asked == 1) != c.attended || asked > 1 {
					t.Errorf("asked %d times", asked)
				}
			})
		})
	}
}
