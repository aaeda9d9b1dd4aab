package e2e

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// packageVariable holds the folder of the package for the test in a process of its own.
const packageVariable = "EXOSHIFT_E2E_PACKAGE"

// builtPackage returns the path of the package for Debian and Ubuntu, as make packages builds it.
func builtPackage(t *testing.T) string {
	t.Helper()
	folder := os.Getenv(packageVariable)
	if folder == "" {
		if _, err := exec.LookPath("dpkg"); err != nil {
			t.Skip("only Debian and its relatives have dpkg")
		}
		folder = t.TempDir()
		build := exec.Command("../scripts/packages")
		build.Env = append(os.Environ(), "KINDS=deb sbom", "OUTPUT="+folder)
		said, err := build.CombinedOutput()
		if strings.Contains(string(said), "dial tcp") || strings.Contains(string(said), "GOPROXY=off") {
			t.Skipf("what packs is not downloaded, and there is no network\n%s", said)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		must(t, os.Setenv(packageVariable, folder)) // the test may run beside others
	}
	found, err := filepath.Glob(filepath.Join(folder, "*.deb"))
	must(t, err)
	if len(found) != 1 {
		t.Fatalf("packages: %v", found)
	}
	return found[0]
}

// machineRoot is the folder of a machine on which nothing is installed but a shell.
type machineRoot struct {
	t       *testing.T
	dir     string
	mounted map[string]bool // by their paths in the machine
}

func newMachineRoot(t *testing.T) machineRoot {
	t.Helper()
	m := machineRoot{t, t.TempDir(), map[string]bool{}}
	for _, folder := range []string{"proc", "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers", "tmp", "root", "usr/bin", "etc"} {
		must(t, os.MkdirAll(filepath.Join(m.dir, folder), 0o755))
	}
	must(t, os.WriteFile(filepath.Join(m.dir, "var/lib/dpkg/status"), nil, 0o644))
	m.mount("proc", "/proc", "proc", unix.MS_RDONLY)
	for _, path := range []string{"/dev/null", "/bin/sh", "/lib", "/lib64"} {
		m.bind(path)
	}
	return m
}

// bind shows in the machine a file or folder of this one, unless there is none.
func (m machineRoot) bind(path string) {
	m.t.Helper()
	source, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	info, err := os.Stat(source)
	must(m.t, err)
	target := filepath.Join(m.dir, path)
	if info.IsDir() {
		must(m.t, os.MkdirAll(target, 0o755))
	} else {
		must(m.t, os.MkdirAll(filepath.Dir(target), 0o755))
		must(m.t, os.WriteFile(target, nil, 0o644))
	}
	m.mount(source, path, "", unix.MS_BIND)
}

func (m machineRoot) mount(source, path, kind string, flags uintptr) {
	m.t.Helper()
	target := filepath.Join(m.dir, path)
	must(m.t, unix.Mount(source, target, kind, flags, ""))
	m.t.Cleanup(func() { _ = unix.Unmount(target, unix.MNT_DETACH) })
	m.mounted[path] = true
}

func (m machineRoot) dpkg(arguments ...string) string {
	m.t.Helper()
	return output(m.t, "dpkg", append([]string{"--root=" + m.dir, "--log=/dev/null"}, arguments...)...)
}

// run runs a program of the machine, which sees nothing but the machine's files.
func (m machineRoot) run(arguments ...string) string {
	m.t.Helper()
	command := exec.CommandContext(m.t.Context(), arguments[0], arguments[1:]...)
	command.Dir, command.Env = "/root", []string{"HOME=/root", "PATH=/usr/bin"}
	command.SysProcAttr = &syscall.SysProcAttr{Chroot: m.dir}
	said, err := command.CombinedOutput()
	if err != nil {
		m.t.Errorf("%s: %v\n%s", strings.Join(arguments, " "), err, said)
	}
	return string(said)
}

// files returns the files of the machine beside those of dpkg itself, of users, and of this machine.
func (m machineRoot) files() (found []string) {
	m.t.Helper()
	must(m.t, filepath.WalkDir(m.dir, func(path string, entry fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, m.dir)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (m.mounted[name] || name == "/var" || name == "/root" || name == "/tmp"):
			return fs.SkipDir
		case !entry.IsDir() && !m.mounted[name]:
			found = append(found, name)
		}
		return nil
	}))
	return found
}

// The package for Debian is installed on a machine that has nothing but a shell, and no network but loopback, a cluster is rehearsed there, and
// the package leaves nothing when it is removed.
func TestPackage_InstallRunRemove(t *testing.T) {
	path := builtPackage(t)
	if !alone(t) {
		return
	}
	if onlyRoot(t) {
		t.Skip("dpkg gives files to users, and there is only one in a namespace of users: run this as root")
	}
	lo, err := netlink.LinkByName("lo")
	must(t, err)
	must(t, netlink.LinkSetUp(lo))
	m := newMachineRoot(t)
	m.dpkg("--install", path)
	if said := m.dpkg("--verify", "exoshift"); said != "" {
		t.Errorf("installed files differ:\n%s", said)
	}
	if got := len(m.files()); got < 20 {
		t.Errorf("%d files are installed", got)
	}
	var version struct{ Version, Platform string }
	must(t, json.Unmarshal([]byte(m.run("/usr/bin/exoshift", "version", "--output", "json")), &version))
	if version.Platform != runtime.GOOS+"/"+runtime.GOARCH || version.Version == "dev" {
		t.Errorf("it is %+v", version)
	}
	if said := m.run("/usr/bin/exoshift", "rehearse", "--speed", "2000", "--output", "plain", "--dir", "rehearsal"); !strings.Contains(said, "Cluster c-demo-1 is installed") {
		t.Errorf("the rehearsal says:\n%s", said)
	}
	m.dpkg("--purge", "exoshift")
	if left := m.files(); len(left) > 0 {
		t.Errorf("left after the removal: %v", left)
	}
}
