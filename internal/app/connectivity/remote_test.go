package connectivity

import (
	"context"
	"errors"
	"testing"

	"exoshift/internal/app/exit"
	"exoshift/internal/fault"
	"exoshift/wizard/reach"
)

func TestRemote_ExitCodesOfHosts(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx    context.Context
		source string
		kind   fault.Kind
		code   int
	}{
		"unknown host key, no key of ours": {t.Context(), reach.SSHSource + "host", fault.Denied, exit.Usage},
		"another host key":                 {t.Context(), reach.SSHSource + "host", fault.Conflict, exit.Usage},
		"not Linux":                        {t.Context(), reach.SSHSource + "host", fault.Invalid, exit.Usage},
		"port closed":                      {t.Context(), reach.SSHSource + "host", fault.Transient, exit.Checks},
		"the program fails there":          {t.Context(), reach.SSHSource + "host", fault.Internal, exit.Checks},
		"credentials of the zone":          {t.Context(), reach.Zone, fault.Denied, exit.Denied},
		"stopped":                          {ended, reach.SSHSource + "host", fault.Internal, exit.Internal},
	} {
		err := withHostCode(test.ctx, test.source, fault.New(test.kind, "log in", errors.New("no")))
		if got := exit.Code(err); got != test.code {
			t.Errorf("%s: exit code %d, want %d", name, got, test.code)
		}
	}
	if err := withHostCode(t.Context(), reach.SSHSource+"host", nil); err != nil {
		t.Error(err)
	}
}
