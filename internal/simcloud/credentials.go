package simcloud

import "exoshift/internal/simcloud/vault"

// Credentials are an engineer's tokens, with all permissions of one.
type Credentials struct {
	APIToken   string // for Lieutenant
	VaultToken string
	GitToken   string // personal access token of the Git host
}

// Credentials returns the tokens of an engineer. They are stable as long as Dir is kept. A token that could not be created is
// empty.
func (s *ProjectSyn) Credentials() Credentials {
	opened, err := s.open()
	if err != nil {
		return Credentials{}
	}
	return opened.issueCredentials()
}

func (p *projectSyn) issueCredentials() Credentials {
	api, _ := p.syn.CreateAPIToken() // "" is refused
	return Credentials{
		APIToken:   api,
		VaultToken: p.ensureToken("vault", func() (string, error) { return p.vault.CreateToken(vault.Engineer) }),
		GitToken:   p.ensureToken("git", func() (string, error) { return p.git.CreateToken(), nil }),
	}
}

// ensureToken returns the stored token or issues one; "" if that fails.
func (p *projectSyn) ensureToken(name string, issue func() (string, error)) string {
	p.issuing.Lock()
	defer p.issuing.Unlock()
	if kept, ok := p.tokens.Get(name); ok {
		return kept
	}
	made, err := issue()
	if err != nil || p.tokens.Put(name, made) != nil {
		return ""
	}
	return made
}
