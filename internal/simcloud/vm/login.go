package vm

import (
	"context"
	"fmt"
	"io"
	"strings"

	"exoshift/internal/simcloud/sshd"
	"exoshift/internal/simcloud/vm/shell"
)

const (
	// bootLog is what cloud-init and its commands have printed.
	bootLog    = "/var/log/cloud-init-output.log"
	bootPrefix = "cloud-init: " // of these lines on the console
)

// newSSHServer returns the SSH server of the public images of Linux: user ubuntu, with the keys from cloud-init.
func (c *cloudInit) newSSHServer() sshd.Server {
	return sshd.Server{
		User: "ubuntu", AuthorizedKeys: authorizedKeys,
		LogIn: func(user, from string) { c.Console("sshd: Accepted publickey for %s from %s", user, from) },
		Execute: func(ctx context.Context, line string, _ io.Reader, out, complaints io.Writer) uint32 {
			host := shell.Host{Network: c.Network(), Files: shell.NewFiles(loggedDisk{c.guest}), Commands: c.runLoginCommand}
			status, err := host.Run(ctx, []byte(line), out, complaints)
			if err != nil {
				return 1
			}
			return uint32(status) //nolint:gosec // below 256
		},
	}
}

// loggedDisk is a disk with what cloud-init has printed.
type loggedDisk struct{ *guest }

// ReadFile reads a file.
func (d loggedDisk) ReadFile(path string) ([]byte, bool) {
	if path != bootLog {
		return d.guest.ReadFile(path)
	}
	var log strings.Builder
	for _, line := range d.console.copy() {
		if _, text, is := strings.Cut(line, " "+bootPrefix); is {
			log.WriteString(text + "\n")
		}
	}
	return []byte(log.String()), true
}

// runLoginCommand runs the programs that only a person calls.
func (c *cloudInit) runLoginCommand(name string, args []string, out io.Writer) (exitCode int, known bool) {
	switch {
	case name == "cloud-init" && len(args) > 0 && args[0] == "status":
		status := "running"
		if _, ended := c.ReadFile(cloudInitResult); ended {
			status = "done"
		}
		_, _ = fmt.Fprintf(out, "status: %s\n", status)
		return 0, true
	case name == "journalctl":
		_, _ = fmt.Fprintln(out, "-- No entries --")
		return 0, true
	}
	return 0, false
}
