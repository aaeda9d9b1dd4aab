package e2e

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coreos/ignition/v2/config/v3_2/types"
)

const unitFolder = "/etc/systemd/system"

// enables fails the test unless exactly these units are to be enabled when the machine boots.
func (m *firstBoot) enables(t *testing.T, units ...string) {
	t.Helper()
	slices.Sort(units)
	m.has(t, "/etc/systemd/system-preset/20-ignition.preset", "enable "+strings.Join(units, "\nenable ")+"\n")
}

// prepares fails the test unless the unit is as the user-data says, systemd understands it, and both of the services
// that make a machine a node wait for it once it is enabled.
func (m *firstBoot) prepares(t *testing.T, unit string) {
	t.Helper()
	var sent types.Config
	must(t, json.Unmarshal(m.userData, &sent))
	if len(sent.Systemd.Units) != 1 || sent.Systemd.Units[0].Name != unit {
		t.Fatalf("the user-data does not hold %s alone", unit)
	}
	file := filepath.Join(unitFolder, unit)
	m.has(t, file, *sent.Systemd.Units[0].Contents)
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Logf("systemd is missing, so nobody reads %s: %v", unit, err)
		return
	}
	verdict, _ := exec.Command("systemd-analyze", "verify", "--man=no", filepath.Join(m.root, file)).CombinedOutput()
	if strings.Contains(string(verdict), unit+":") {
		t.Errorf("%s", verdict)
	}
	if output, err := exec.Command("systemctl", "--root", m.root, "preset", unit).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, output)
	}
	wanted := m.below(t, unitFolder+"/*/"+unit)
	if !slices.Equal(wanted, []string{"crio.service.requires", "kubelet.service.requires", "multi-user.target.wants"}) {
		t.Errorf("%s is wanted by %v", unit, wanted)
	}
}

// below returns the names of the folders that hold what the pattern describes.
func (m *firstBoot) below(t *testing.T, pattern string) (folders []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(m.root, pattern))
	must(t, err)
	for _, path := range paths {
		folders = append(folders, filepath.Base(filepath.Dir(path)))
	}
	return folders
}
