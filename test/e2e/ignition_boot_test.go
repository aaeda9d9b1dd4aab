package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// metadataServer is where Exoscale serves the user-data of the machine that asks.
var metadataServer = netip.MustParseAddr("169.254.169.254")

// firstBoot is a machine in the initramfs of its first boot: Ignition, and an empty root file system. The disks stage
// is left out, as there is no block device to divide; so are those that mount.
type firstBoot struct {
	*world
	engine   string
	userData []byte
	root     string // what becomes the machine's /
	run      string // what Ignition keeps between its stages
	trust    string // file of the certificates that the image trusts; "" for those of this system
	reason   string // for which Ignition is to refuse, if it is
}

// firstBoot makes a machine of this user-data; Exoscale serves one machine's at a time.
func (w *world) firstBoot(t *testing.T, engine string, userData []byte) *firstBoot {
	t.Helper()
	w.own(metadataServer)
	l, err := net.Listen("tcp", netip.AddrPortFrom(metadataServer, 80).String())
	must(t, err)
	serve(t, l, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/1.0/user-data" {
			rw.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = rw.Write(userData)
	}))
	return &firstBoot{world: w, engine: engine, userData: userData, root: t.TempDir(), run: t.TempDir()}
}

// boot runs Ignition for no longer than that. Its error holds what Ignition logs.
func (m *firstBoot) boot(within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	for _, stage := range []string{"fetch", "files"} {
		if err := m.stage(ctx, stage); err != nil {
			return fmt.Errorf("%s: %w", stage, err)
		}
	}
	return nil
}

func (m *firstBoot) stage(ctx context.Context, stage string) error {
	cmd := exec.CommandContext(ctx, m.engine, "--platform", "exoscale", "--stage", stage, "--root", m.root, "--log-to-stdout",
		"--config-cache", filepath.Join(m.run, "ignition.json"), "--state-file", filepath.Join(m.run, "state"),
		"--neednet", filepath.Join(m.run, "neednet"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if m.trust != "" {
		cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+m.trust)
	}
	said := &watchedLog{reason: m.reason, end: func() { _ = cmd.Cancel() }}
	cmd.Stdout, cmd.Stderr = said, said
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, said.text.String())
	}
	return errors.Join(err, ctx.Err())
}

// has fails the test unless the machine has a file of this content.
func (m *firstBoot) has(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(m.root, path))
	if err != nil {
		t.Error(err)
	} else if string(got) != want {
		t.Errorf("%s is %q, want %q", path, got, want)
	}
}

// untouched fails the test if Ignition wrote anything for the machine to go on with.
func (m *firstBoot) untouched(t *testing.T) {
	t.Helper()
	for _, folder := range []string{m.root, m.run} {
		entries, err := os.ReadDir(folder)
		must(t, err)
		for _, entry := range entries {
			t.Errorf("%s is there", entry.Name())
		}
	}
}

// serve serves as long as the test lasts.
func serve(t *testing.T, l net.Listener, handler http.Handler) {
	server := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
}

// watchedLog ends a program that would try for ever, a few attempts after it has logged a reason. It embeds no buffer:
// exec would call its ReadFrom instead of Write.
type watchedLog struct {
	text   bytes.Buffer
	reason string // "": the program ends by itself
	end    func()
	found  bool
}

func (l *watchedLog) Write(text []byte) (int, error) {
	n, err := l.text.Write(text)
	if !l.found && l.reason != "" && strings.Contains(l.text.String(), l.reason) {
		l.found = true
		time.AfterFunc(3*time.Second, l.end)
	}
	return n, err
}
