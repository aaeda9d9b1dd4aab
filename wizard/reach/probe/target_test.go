package probe

import (
	"strings"
	"testing"

	"exoshift/wizard/reach"
)

func TestProbe_InvalidAddress(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		for _, address := range []string{"https://me:very-secret@%zz/", "very-secret://x", "https://me:very-secret@x:99999"} {
			got := l.probeURL(address)
			expect(t, got, reach.Malformed, "none none none none", false)
			if strings.Contains(got.Evidence[reach.EvidenceError], "very-secret@") {
				t.Errorf("evidence %q", got.Evidence)
			}
		}
	})
}
