package e2e

import (
	"path/filepath"
	"testing"
)

const (
	zone          = "ch-gva-2"
	storageKey    = "EXOlab"
	storageSecret = "lab-secret-of-the-storage"
)

// storageProgram returns the path of an S3 gateway; see builtProgram.
func storageProgram(t *testing.T) string {
	t.Helper()
	return builtProgram(t, "versitygw", "github.com/versity/versitygw", "github.com/versity/versitygw/cmd/versitygw")
}

// runStorage runs a real object storage in the place of the zone's.
func (l *lab) runStorage(program string) {
	l.t.Helper()
	identity := l.certified(bucketServer)
	daemon(l.t, open(l.at(bucketServer, "443")), program, "--access", storageKey, "--secret", storageSecret, "--region", zone,
		"--port", l.at(bucketServer, "443"), "--cert", identity, "--key", identity, "--quiet", "posix", filepath.Clean(l.t.TempDir()))
}
