package catalog

import (
	"context"
	"net"
)

// Access holds the credentials for the Git host.
type Access struct {
	// Token is one of the Git host, with the scopes api and write_repository. With a token HTTPS is used for everything, also for
	// ssh URLs.
	Token string
	// Agent connects to the SSH agent whose keys authenticate us; nil: there is none.
	Agent func(ctx context.Context) (net.Conn, error)
	// KnownHosts are files in OpenSSH's format, for hosts whose keys no other source has; missing files are ignored.
	KnownHosts []string
	// Name and Email are the author of commits; empty: the program.
	Name, Email string
}
