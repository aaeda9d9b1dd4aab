package environment

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"exoshift/internal/app/exit"
	"exoshift/provisioner/openshift/bootstraphost"
)

// NewSSHAgent connects to the user's SSH agent; nil: there is none.
func NewSSHAgent() bootstraphost.Agent {
	socket := os.Getenv("SSH_AUTH_SOCK")
	if socket == "" {
		return nil
	}
	return func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
}

// CacheDir is where downloads are kept.
func CacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", exit.WithCode(exit.Usage, fmt.Errorf("find the folder for downloads: %w; set XDG_CACHE_HOME", err))
	}
	return filepath.Join(base, "exoshift"), nil
}
