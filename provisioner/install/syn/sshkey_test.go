package syn

import (
	"strings"
	"testing"
)

func TestNewSSHKey_TypeByMode(t *testing.T) {
	for fips, want := range map[bool]string{false: "ssh-ed25519 ", true: "ecdsa-sha2-nistp256 "} {
		private, err := newSSHKey("c-1", fips)
		if err != nil {
			t.Fatal(err)
		}
		if public, err := toPublicKey(private); err != nil || !strings.HasPrefix(public, want) {
			t.Errorf("FIPS %v: %q, %v", fips, public, err)
		}
	}
}
