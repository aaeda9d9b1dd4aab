package vault

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
)

const opAccount = opSignIn + " as a service account"

func (l login) signInKubernetes(ctx context.Context) error {
	k := *l.options.Kubernetes
	mount := cmp.Or(strings.Trim(strings.TrimPrefix(k.Mount, "auth/"), "/"), "kubernetes")
	if err := checkPath(opAccount, mount); err != nil {
		return fault.Newf(fault.Invalid, opAccount, "%q is not a mount of the Kubernetes auth method", sanitize(k.Mount)).
			WithHint("set VAULT_KUBERNETES_MOUNT to the mount of the Kubernetes auth method, e.g. kubernetes")
	}
	token, err := k.readToken()
	if err != nil {
		return err
	}
	got, err := l.client.Logical().WriteWithContext(ctx, "auth/"+mount+"/login", map[string]any{"role": k.Role, "jwt": token})
	if err != nil {
		failed := toFault(ctx, opAccount, err, token)
		if fault.Is(failed, fault.Denied) {
			failed = fault.Newf(fault.Denied, opSignIn, "the token of the service account is not valid for the role %s at %s", sanitize(k.Role), mount).
				WithHint("check which accounts the role allows, and that auth/%s is configured for this cluster; VAULT_KUBERNETES_MOUNT sets another mount", mount)
		}
		return failed
	}
	return l.storeToken(got)
}

func (k Kubernetes) readToken() (string, error) {
	content, err := fileread.Text(k.TokenFile, fileread.Small)
	if err != nil {
		return "", fault.New(fault.Invalid, opAccount, fmt.Errorf("read its token: %w", err)).
			WithHint("run this in a pod with a service account, or unset VAULT_KUBERNETES_ROLE to sign in differently")
	}
	return strings.TrimSpace(string(content)), nil
}
