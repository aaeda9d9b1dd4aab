package vault

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"

	"exoshift/internal/fault"
	"exoshift/provisioner/syn/signin"
)

const (
	methodOIDC   = "oidc"
	redirect     = "http://localhost:8250" + callbackPath // Vault allows this one, because its own command uses it
	callbackPath = "/oidc/callback"
)

func (l login) signInOIDC(ctx context.Context) error {
	switch method := l.getMethod(); {
	case method != "" && method != methodOIDC:
		return fault.Newf(fault.Invalid, opSignIn, "its auth method %q is not supported", sanitize(method)).
			WithHint("sign in with the command vault, or set VAULT_TOKEN")
	case l.show == nil:
		return fault.New(fault.Waiting, opSignIn, errors.New("a sign-in in a browser is required")).
			WithHint("run this on a machine with a browser, or set VAULT_TOKEN")
	}
	nonce := rand.Text()
	page, state, err := l.requestAuthURL(ctx, nonce)
	if err != nil {
		return err
	}
	listener, err := l.options.Listen()
	if err != nil {
		return fault.New(fault.Conflict, opSignIn, err).
			WithHint("the browser returns to port 8250 of this machine: stop the program that uses it, e.g. another sign-in to Vault")
	}
	code, err := signin.Callback{Listener: listener, Path: callbackPath, State: state}.WaitCode(ctx, page, l.show)
	if err != nil {
		return err
	}
	answer, err := l.client.Logical().ReadWithDataWithContext(ctx, "auth/"+methodOIDC+"/oidc/callback",
		map[string][]string{"state": {state}, "code": {code}, "client_nonce": {nonce}})
	if err != nil {
		return toFault(ctx, opSignIn, err, state, code, nonce)
	}
	return l.storeToken(answer)
}

// requestAuthURL starts a sign-in: Vault returns the URL for the person, and the state by which it recognizes the callback.
func (l login) requestAuthURL(ctx context.Context, nonce string) (page, state string, err error) {
	answer, err := l.client.Logical().WriteWithContext(ctx, "auth/"+methodOIDC+"/oidc/auth_url",
		map[string]any{"role": "", "redirect_uri": redirect, "client_nonce": nonce})
	if err != nil {
		return "", "", toFault(ctx, opSignIn, err, nonce)
	}
	if answer == nil {
		return "", "", newAnswerError(opSignIn)
	}
	text, _ := answer.Data["auth_url"].(string)
	if text == "" {
		return "", "", fault.Newf(fault.Invalid, opSignIn, "Vault returns no sign-in URL; perhaps its role does not allow %s", redirect).
			WithHint("ask the operator of Vault to allow that redirect, or set VAULT_TOKEN")
	}
	link, err := url.Parse(text)
	if err != nil || link.Scheme != "https" || link.Host == "" || link.Query().Get("state") == "" {
		return "", "", fault.New(fault.Invalid, opSignIn, errors.New("the sign-in URL of Vault is not an https URL")).
			WithHint("check the address of Vault; ask its operator, or set VAULT_TOKEN")
	}
	return link.String(), link.Query().Get("state"), nil
}
