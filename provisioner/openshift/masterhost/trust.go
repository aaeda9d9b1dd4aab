package masterhost

import (
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
)

// Trust is by which keys masters are known: they make them when they boot first, and there is no API to ask.
type Trust struct {
	// All trusts every key: those of a simulated zone.
	All bool
	// Fingerprints are keys that a person has compared, such as SHA256:...
	Fingerprints []string
	// Known looks a key up among the known hosts; nil: there are none.
	Known ssh.HostKeyCallback
}

// listAlgorithms lists those of RHCOS, in a fixed order: the fingerprint that is shown is that of one key.
func listAlgorithms() []string {
	return []string{ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
}

func (h *Hosts) checkKey(name string, address netip.Addr, key ssh.PublicKey) error {
	fingerprint := ssh.FingerprintSHA256(key)
	target := netip.AddrPortFrom(address, sshPort)
	switch {
	case h.trust.All, slices.Contains(h.trust.Fingerprints, fingerprint):
		return nil
	case h.trust.Known != nil && h.trust.Known(target.String(), net.TCPAddrFromAddrPort(target), key) == nil:
		return nil
	}
	return fault.Newf(fault.Denied, "log in to "+name, "%s is no known host; its key is %s", address, fingerprint).
		WithHint("compare it with the fingerprint that the machine's console shows (exo compute instance console-url), then give it: --host-key %s", fingerprint)
}

// ReadKnownHosts returns the known hosts of who runs the program and of this machine; nil if there are none.
func ReadKnownHosts() (ssh.HostKeyCallback, error) {
	files := []string{"/etc/ssh/ssh_known_hosts"}
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".ssh", "known_hosts"))
	}
	files = slices.DeleteFunc(files, func(path string) bool {
		_, err := fileread.Bytes(path, fileread.Small) // knownhosts would wait at a pipe
		return err != nil
	})
	if len(files) == 0 {
		return nil, nil
	}
	return knownhosts.New(files...)
}
