package network

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzNameservers: whatever the system's configuration holds, the ways to look up a name begin with the system's own.
func FuzzNameservers(f *testing.F) {
	for _, seed := range []string{"", "nameserver 192.0.2.1\n", "nameserver\n", "nameserver fe80::1%eth0\nnameserver 192.0.2.1", "options ndots:99999999999 timeout:-1\n", "search .\nsearch\n", "\x00\xff", "nameserver a b c\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		file := filepath.Join(t.TempDir(), "resolv.conf")
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		servers := readNameservers(file)
		if lookups := listLookups(nil, file, "ip4"); len(lookups) != max(1, len(servers)) {
			t.Fatalf("%q: %d ways for the servers %q", content, len(lookups), servers)
		}
	})
}
