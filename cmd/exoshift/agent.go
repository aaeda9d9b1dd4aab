package main

import (
	"context"
	"net"
	"os"

	"exoshift/provisioner/openshift/bootstraphost"
)

func newSSHAgent() bootstraphost.Agent {
	socket := os.Getenv("SSH_AUTH_SOCK")
	if socket == "" {
		return nil
	}
	return func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
}
