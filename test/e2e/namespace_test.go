package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const (
	// inside is set in the process that has namespaces of its own.
	inside = "EXOSHIFT_E2E_INSIDE"
	// nameServer is the only one that this process and all it starts know.
	nameServer = "10.0.0.53"
)

// alone runs the calling test again, in a process with networks and mounts of its own, beside other tests: nothing that
// it opens or writes is seen outside, and the ports and paths of a configuration need no change. It tells whether this
// is that process.
func alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(inside) != "" {
		ownMounts(t)
		return true
	}
	t.Parallel()
	cmd := exec.Command("/proc/self/exe", "-test.run", "^"+t.Name()+"$", "-test.v", "-test.timeout", "20m")
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.SysProcAttr = namespaces()
	output, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, os.ErrPermission), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EINVAL):
		t.Skipf(missing, err)
	case strings.Contains(string(output), "--- SKIP: "):
		t.Skipf("%s", output)
	case err != nil || !strings.Contains(string(output), "--- PASS: "+t.Name()):
		t.Errorf("%v\n%s", err, output)
	}
	return false
}

const missing = "the kernel gives no namespaces of networks and mounts: run as root with CAP_SYS_ADMIN, or allow them to " +
	"everybody (user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns): %v"

// namespaces are a network and mounts; who is not root has to be it in a namespace of users first.
func namespaces() *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET, Unshareflags: unix.CLONE_NEWNS}
	if os.Getuid() != 0 {
		attributes.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNS
		attributes.Unshareflags = 0
		attributes.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		attributes.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	return attributes
}

// ownMounts gives this process the files that a machine has which runs HAProxy: its name server, and a place for the
// socket. In a namespace of users there is only root, so HAProxy's own user has to be that.
func ownMounts(t *testing.T) {
	t.Helper()
	resolvConf, err := filepath.EvalSymlinks("/etc/resolv.conf")
	if err != nil {
		t.Skipf("this machine has no /etc/resolv.conf to put another one over: %v", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); errors.Is(err, os.ErrPermission) {
		t.Skipf(missing, err)
	}
	must(t, unix.Mount("tmpfs", "/run", "tmpfs", 0, ""))
	must(t, unix.Mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777")) // two of squid would share what is there
	replace(t, resolvConf, "nameserver "+nameServer+"\n")
	if onlyRoot(t) {
		replace(t, "/etc/passwd", "root:x:0:0::/:/bin/sh\nhaproxy:x:0:0::/:/bin/false\n")
		replace(t, "/etc/group", "root:x:0:\nhaproxy:x:0:\n")
	}
	must(t, os.Mkdir("/run/haproxy", 0o777))
}

// replace shows content where a file is, or is to be.
func replace(t *testing.T, path, content string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, nil, 0o644))
	}
	other := filepath.Join(t.TempDir(), filepath.Base(path))
	must(t, os.WriteFile(other, []byte(content), 0o644))
	must(t, unix.Mount(other, path, "", unix.MS_BIND, ""))
	t.Cleanup(func() { _ = unix.Unmount(path, unix.MNT_DETACH) })
}

// needUsers skips the test where there is no user but root: some servers become another one first.
func needUsers(t *testing.T, program string) {
	t.Helper()
	if onlyRoot(t) {
		t.Skipf("%s wants to be another user than root, and there is none in a namespace of users: run this as root", filepath.Base(program))
	}
}

func onlyRoot(t *testing.T) bool {
	t.Helper()
	users, err := os.ReadFile("/proc/self/uid_map")
	must(t, err)
	var first, host, size int
	return scan(string(users), &first, &host, &size) && size == 1
}

// onThread runs a function on a thread of its own in a new network, and keeps both until done is closed.
func onThread(done <-chan struct{}, run func() error) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
		err := unix.Unshare(unix.CLONE_NEWNET)
		if err == nil {
			err = run()
		}
		result <- err
		<-done
	}()
	return <-result
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
