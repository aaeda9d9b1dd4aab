package argo

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"exoshift/internal/simcloud/openshift/cluster"
)

// defaultVault is used unless the ArgoCD sets VAULT_ADDR.
const defaultVault = "https://vault-prod.syn.vshn.net"

// reference is a secret reference of a compiled catalog: ?{vaultkv:path/key:hash}.
var reference = regexp.MustCompile(`\?\{vaultkv:([^}:]+)/([^}:/]+)(?::[^}]*)?\}`)

type vaultAgent struct {
	http    *http.Client
	timeout time.Duration
	token   string
	login   string // the credentials of the token
}

func (r *repoServer) resolveSecrets(ctx context.Context, content string) (string, error) {
	const plugin = "plugin sidecar failed. "
	if !strings.Contains(content, "?{vaultkv:") {
		return content, nil
	}
	if !r.plugin {
		return "", errors.New(plugin + `couldn't find cmp-server plugin with name "kapitan" supporting the given repository`)
	}
	var failed error
	secrets := map[string]map[string]string{}
	content = reference.ReplaceAllStringFunc(content, func(found string) string {
		parts := reference.FindStringSubmatch(found)
		if secrets[parts[1]] == nil && failed == nil {
			secrets[parts[1]], failed = r.readSecret(ctx, parts[1])
		}
		value, exists := secrets[parts[1]][parts[2]]
		if !exists && failed == nil {
			failed = fmt.Errorf("kapitan.errors.VaultError: key %q not found in secret %q", parts[2], parts[1])
		}
		return value
	})
	if failed != nil {
		return "", fmt.Errorf("%serror generating manifests in cmp: rpc error: code = Unknown desc = error generating manifests: "+
			"`kapitan refs --reveal --refs-path ../../refs/ --file ./` failed exit status 1: %w", plugin, failed)
	}
	return content, nil
}

// readSecret logs in with Steward's token when it has no valid Vault token.
func (r *repoServer) readSecret(ctx context.Context, path string) (map[string]string, error) {
	account, _ := r.Objects.Get(cluster.SecretResource, SynNamespace, stewardName)
	token, err := base64.StdEncoding.DecodeString(account.GetString("data.token"))
	if err != nil {
		return nil, err
	}
	role, _, _ := strings.Cut(path, "/")
	if !strings.HasPrefix(role, "t-") {
		role = r.findTenant()
	}
	base := getVaultAddress(r.Cluster)
	if login := base + " " + role + " " + string(token); r.vault.login != login || r.vault.token == "" {
		if err := r.vault.signIn(ctx, base, role, string(token)); err != nil {
			return nil, err
		}
		r.vault.login = login
	}
	return r.vault.read(ctx, base, path)
}

func (r *repoServer) findTenant() string {
	for name := range r.cached.files {
		if rest, found := strings.CutPrefix(name, "refs/t-"); found {
			tenant, _, _ := strings.Cut(rest, "/")
			return "t-" + tenant
		}
	}
	return ""
}

func getVaultAddress(c *cluster.Cluster) string {
	argo, _ := c.Objects.Get(argoCRResource, SynNamespace, argoInstance)
	for _, variable := range argo.List("spec.repo.env") {
		if variable.GetString("name") == "VAULT_ADDR" {
			return strings.TrimRight(variable.GetString("value"), "/")
		}
	}
	return defaultVault
}

func (v *vaultAgent) signIn(ctx context.Context, base, role, jwt string) error {
	var answer struct {
		Auth struct {
			Token string `json:"client_token"`
		}
	}
	body, err := json.Marshal(map[string]string{"role": role, "jwt": jwt})
	if err != nil {
		return err
	}
	if err := v.sendRequest(ctx, http.MethodPost, base+"/v1/auth/lieutenant/login", body, &answer); err != nil {
		return fmt.Errorf("auth.handler: error authenticating: %w", err)
	}
	v.token = answer.Auth.Token
	return nil
}

func (v *vaultAgent) read(ctx context.Context, base, path string) (map[string]string, error) {
	var answer struct {
		Data struct{ Data map[string]string }
	}
	err := v.sendRequest(ctx, http.MethodGet, base+"/v1/clusters/kv/data/"+path, nil, &answer)
	var refused vaultError
	if errors.As(err, &refused) && refused.code == http.StatusForbidden {
		v.token = "" // the token may have expired
	}
	return answer.Data.Data, err
}

func (v *vaultAgent) sendRequest(ctx context.Context, method, address string, body []byte, into any) error {
	ctx, cancel := context.WithTimeout(ctx, v.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if v.token != "" && body == nil {
		request.Header.Set("X-Vault-Token", v.token)
	}
	response, err := v.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode >= http.StatusBadRequest {
		var answer struct{ Errors []string }
		_ = json.NewDecoder(response.Body).Decode(&answer) // a body that is not JSON has no details
		return vaultError{response.StatusCode, formatVaultError(response.StatusCode, answer.Errors) + ", on " + strings.ToLower(method) + " " + address}
	}
	return json.NewDecoder(response.Body).Decode(into)
}

type vaultError struct {
	code    int
	message string
}

func (e vaultError) Error() string { return e.message }

// formatVaultError has the wording of hvac, the client that Kapitan uses.
func formatVaultError(code int, errors []string) string {
	text := "None"
	if len(errors) > 0 {
		text = strings.Join(errors, ", ")
	}
	switch code {
	case http.StatusForbidden:
		return "hvac.exceptions.Forbidden: " + text
	case http.StatusNotFound:
		return "hvac.exceptions.InvalidPath: " + text
	}
	return "hvac.exceptions.VaultError: " + text
}
