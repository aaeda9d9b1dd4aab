package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/hashicorp/vault/api"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
)

const opSignIn = "sign in at Vault"

// errNoLookup is a token without Vault's policy default: what it allows and when it ends cannot be checked.
var errNoLookup = errors.New("the token is valid, but has no permission for lookup-self")

// login is one sign-in, by the first way that is given.
type login struct {
	*session
	client *api.Client
	show   func(ctx context.Context, url string) error // nil: nobody is there
}

func (l login) signIn(ctx context.Context) error {
	if l.options.Token != "" {
		return l.useToken(ctx)
	}
	if found, err := l.tryTokenFile(ctx); found || err != nil {
		return err
	}
	if l.options.Kubernetes != nil {
		return l.signInKubernetes(ctx)
	}
	return l.signInOIDC(ctx)
}

func (l login) useToken(ctx context.Context) error {
	err := l.tryToken(ctx, strings.TrimSpace(l.options.Token))
	if fault.Is(err, fault.Denied) && !errors.Is(err, errNoLookup) {
		return fault.New(fault.Denied, opSignIn, errors.New("the given token is invalid or has expired")).
			WithHint("get a new one, or unset VAULT_TOKEN to sign in differently")
	}
	return err
}

func (l login) tryTokenFile(ctx context.Context) (found bool, err error) {
	if l.options.TokenFile == "" {
		return false, nil
	}
	content, err := fileread.Text(l.options.TokenFile, fileread.Small)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && strings.TrimSpace(string(content)) == "":
		return false, nil
	case err != nil:
		return false, fault.New(fault.Invalid, opSignIn, fmt.Errorf("read the token: %w", err)).
			WithHint("make %s readable, or remove it", l.options.TokenFile)
	}
	err = l.tryToken(ctx, strings.TrimSpace(string(content)))
	if fault.Is(err, fault.Denied) {
		return false, nil
	}
	return err == nil, err
}

func (l login) tryToken(ctx context.Context, token string) error {
	if strings.ContainsFunc(token, func(r rune) bool { return r < 0x21 || r > 0x7e }) {
		return fault.New(fault.Denied, opSignIn, errors.New("not a token: it contains spaces or control characters"))
	}
	l.client.SetToken(token)
	secret, err := l.client.Auth().Token().LookupSelfWithContext(ctx)
	if isForbidden(err) && l.reachesMount(ctx, l.client) {
		l.dropToken(token)
		return fault.New(fault.Denied, opSignIn, errNoLookup).
			WithHint("ask the operator of Vault for a token with the policy default, or with read on auth/token/lookup-self and update on sys/capabilities-self")
	}
	if err != nil {
		l.dropToken(token)
		return toFault(ctx, opSignIn, err, token)
	}
	life, err := secret.TokenTTL()
	if err != nil {
		l.dropToken(token)
		return newAnswerError(opSignIn)
	}
	l.setToken(token, life)
	return nil
}
