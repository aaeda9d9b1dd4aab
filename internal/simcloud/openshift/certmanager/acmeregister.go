package certmanager

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/container"
)

// AcmeJob is the name of the job that registers the cluster with the ACME DNS server.
const AcmeJob = "acme-dns-register"

// AcmeAccount has the JSON fields of acme-dns and of cert-manager's acme-dns solver.
type AcmeAccount struct {
	Username   string   `json:"username"`
	Password   string   `json:"password"`
	Fulldomain string   `json:"fulldomain"`
	Subdomain  string   `json:"subdomain"`
	AllowFrom  []string `json:"allowfrom"`
}

// RegisterACME is the Job that creates an account at acme-dns for each of its domains.
func RegisterACME(ctx context.Context, c container.Container) error {
	api, err := c.NewClient()
	if err != nil {
		return err
	}
	defer api.Close()
	var domains []string
	if err := json.Unmarshal([]byte(c.Env["ACME_DNS_FQDNS"]), &domains); err != nil {
		return fmt.Errorf("ACME_DNS_FQDNS: %w", err)
	}
	secrets, name := apiclient.FormatResourcePath(c.Pod.Namespace(), cluster.SecretResource), c.Env["CLIENT_SECRET_NAME"]
	found, err := api.Get(ctx, secrets+"/"+name)
	if err != nil && !apiclient.IsCode(err, http.StatusNotFound) {
		return err
	}
	accounts := ReadAccounts(found)
	if !slices.ContainsFunc(domains, func(domain string) bool { return accounts[domain].Username == "" }) {
		return nil
	}
	made, err := registerACMEAccount(ctx, c, c.Env["ACME_DNS_API"])
	if err != nil {
		return err
	}
	for _, domain := range domains {
		if accounts[domain].Username == "" {
			accounts[domain] = made
		}
	}
	content, err := json.Marshal(accounts)
	if err != nil {
		return err
	}
	return api.Apply(ctx, secrets, AcmeJob, kube.Object{"apiVersion": "v1", "kind": "Secret",
		"metadata": kube.Object{"name": name, "namespace": c.Pod.Namespace()}, "stringData": kube.Object{"acmedns.json": string(content)}})
}

// ReadAccounts returns the accounts in a secret, by their domain.
func ReadAccounts(secret kube.Object) map[string]AcmeAccount {
	accounts := map[string]AcmeAccount{}
	data, _ := secret.Map("data")["acmedns.json"].(string)
	if content, err := base64.StdEncoding.DecodeString(data); err == nil {
		_ = json.Unmarshal(content, &accounts) // an unreadable account is replaced by a new one
	}
	return accounts
}

func registerACMEAccount(ctx context.Context, c container.Container, base string) (AcmeAccount, error) {
	var made AcmeAccount
	ctx, cancel := context.WithTimeout(ctx, c.Cluster.Timeout())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/register", bytes.NewReader([]byte("{}")))
	if err != nil {
		return made, err
	}
	client := c.Machine.Network().NewClient()
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	if err != nil {
		return made, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusCreated {
		return made, fmt.Errorf("POST %s/register: %s", base, response.Status)
	}
	return made, json.NewDecoder(response.Body).Decode(&made)
}
