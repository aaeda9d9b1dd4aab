package bootstrap

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/state"
)

func TestBootstrapMachine_KeepsKeys(t *testing.T) {
	const document = `{"ignition":{"version":"3.2.0"},"storage":{"files":[]}}`
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := New(Deps{Spec: spec(), Folder: folder})
	var given [][]byte
	for range 2 {
		m.document = []byte(document)
		if err := m.ensureIdentity(); err != nil {
			t.Fatal(err)
		}
		given = append(given, m.document)
	}
	if !bytes.Equal(given[0], given[1]) || !bytes.Contains(given[0], []byte("/etc/ssh/ssh_host_ed25519_key")) {
		t.Error("a resumed run gives the machine other keys, and so another document than its pointer names")
	}
	info, err := os.Stat(folder.Path(state.InstallDir, state.IdentityFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v: mode %v", err, info.Mode())
	}
	if err := folder.Write(state.InstallDir+"/"+state.IdentityFile, []byte("SECRET")); err != nil {
		t.Fatal(err)
	}
	if err := m.ensureIdentity(); !fault.Is(err, fault.Invalid) || fault.HintOf(err) == "" || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("error %v", err)
	}
}
