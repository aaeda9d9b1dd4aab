package syn

import (
	"context"
	"sync"

	"exoshift/internal/fault"
	"exoshift/provisioner"
)

// session is signed in at the services of Project Syn.
type session struct {
	clients *Clients
	show    Show

	mu        sync.Mutex // one login at a time: the user can do only one
	signedOut bool       // a preview continues without a login
}

func (s *session) signInLieutenant(ctx context.Context, report provisioner.Report) (Lieutenant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clients.Lieutenant, fault.AttachField(report.SignIn(ctx, s.clients.Lieutenant.SignIn, s.show), "syn.lieutenantURL", fault.Invalid)
}

func (s *session) signInVault(ctx context.Context, report provisioner.Report) (Vault, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clients.Vault, report.SignIn(ctx, s.clients.Vault.SignIn, s.show)
}
