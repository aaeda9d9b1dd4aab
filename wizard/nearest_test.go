package wizard_test

import (
	"testing"

	"exoshift/wizard"
)

func TestNearest_TyposAndBeginnings(t *testing.T) {
	candidates := []string{"happy", "late-dns", "no-hostname", "no-dns-plan", "slow", "slow-registry"}
	for word, want := range map[string]string{
		"hapy": "happy", "Late": "late-dns", "late-dsn": "late-dns", "slow": "slow", "slow-": "slow-registry", "slow-r": "slow-registry",
		"no-": "", "la": "", "": "", "nothing": "",
	} {
		if got := wizard.Nearest(word, candidates); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
