package catalog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"al.essio.dev/pkg/shellescape"
	"golang.org/x/sys/unix"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/githost"
	"exoshift/provisioner/syn/catalog"
	"exoshift/state"
)

func TestCompiler_LocalEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	left := filepath.Join(t.TempDir(), "left")
	compiler := catalog.NewCompiler(newWorld(t, githost.Config{}).network, catalog.Access{}, local(t, "sleep 3600 &\necho $! >"+shellescape.Quote(left)+"\necho waits\nwait\n"))
	err := compiler.Compile(ctx, tenant(), state.SynCluster{ID: clusterID}, "", func(text string) {
		if text == "waits" {
			cancel()
		}
	})
	if !fault.Is(err, fault.Cancelled) {
		t.Error(err)
	}
	content, err := os.ReadFile(left)
	must(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	must(t, err)
	// It was killed, and ends as soon as it has a processor.
	process, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return
	}
	must(t, err)
	defer func() { must(t, unix.Close(process)) }()
	const patience = 10 * time.Minute
	for {
		ready, err := unix.Poll([]unix.PollFd{{Fd: int32(process), Events: unix.POLLIN}}, int(patience.Milliseconds())) //nolint:gosec // a descriptor is small
		if errors.Is(err, unix.EINTR) {
			continue
		}
		must(t, err)
		if ready == 0 {
			t.Errorf("it left process %d", pid)
		}
		return
	}
}
