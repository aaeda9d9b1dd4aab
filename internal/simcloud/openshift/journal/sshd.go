package journal

import (
	"context"
	"io"
	"strings"
	"sync"

	"exoshift/internal/simcloud/sshd"
)

// ServeAccess serves the access to the inside of a machine: SSH, and the journal gateway where it is enabled. It ends with ctx.
func (m *Machine) ServeAccess(ctx context.Context) {
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := m.newSSHServer().Serve(ctx, m); err != nil {
			m.Console("sshd.service: %v", err)
		}
	})
	serving.Go(func() {
		if err := m.serveGateway(ctx); err != nil {
			m.Console("systemd-journal-gatewayd.service: %v", err)
		}
	})
	serving.Wait()
}

// newSSHServer returns the SSH server of RHCOS: user core, with the keys from Ignition.
func (m *Machine) newSSHServer() sshd.Server {
	return sshd.Server{
		User:           "core",
		AuthorizedKeys: "/home/core/.ssh/authorized_keys.d/ignition", // where Ignition writes them
		LogIn: func(user, from string) {
			m.Log("sshd.service", "Accepted publickey for "+user+" from "+from)
		},
		Execute: func(_ context.Context, line string, _ io.Reader, out, complaints io.Writer) uint32 {
			return execute(m, out, complaints, strings.Fields(line))
		},
	}
}
