package catalog

import (
	"context"
	"net"
)

// Access is how the Git host lets us in.
type Access struct {
	// Token is one of the Git host's own, with the scopes api and write_repository. With it everything goes over HTTPS,
	// also what is named by an ssh address.
	Token string
	// Agent connects to the SSH agent whose keys prove who we are; nil: there is none.
	Agent func(ctx context.Context) (net.Conn, error)
	// KnownHosts are files in OpenSSH's form, for hosts whose keys nobody else tells; those that do not exist are left out.
	KnownHosts []string
	// Name and Email are the author of commits; empty: the program.
	Name, Email string
}
