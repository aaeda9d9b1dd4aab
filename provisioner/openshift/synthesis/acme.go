package synthesis

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

const acmeSecrets kubeapi.ResourcePath = "v1/secrets@syn-cert-manager"

const (
	acmeSecret = "acme-dns-client"
	acmeKey    = "acmedns.json"
)

type acmeAccount struct {
	FullDomain string `json:"fulldomain"`
}

// GetACMERegistration returns the account that the cluster registered at acme-dns; fault.Transient until there is one.
func (c *Reader) GetACMERegistration(ctx context.Context) (state.ACMERegistration, error) {
	const op = "read the cluster's registration at acme-dns"
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return state.ACMERegistration{}, err
	}
	secret, exists, err := kubeapi.Get[corev1.Secret](ctx, api, acmeSecrets, acmeSecret)
	if err != nil {
		return state.ACMERegistration{}, kubeapi.RedactMessage(err)
	}
	if !exists || len(secret.Data[acmeKey]) == 0 {
		return state.ACMERegistration{}, fault.Newf(fault.Transient, op, "the secret syn-cert-manager/%s does not exist yet", acmeSecret)
	}
	registration, problem := parseRegistration(secret.Data[acmeKey])
	if problem != "" {
		return state.ACMERegistration{}, fault.Newf(fault.Invalid, op, "%s in the secret syn-cert-manager/%s %s", acmeKey, acmeSecret, problem).
			WithHint("delete the secret and the job acme-dns-register in the namespace syn-cert-manager: they are recreated")
	}
	return registration, nil
}

// parseRegistration reads accounts by domain, or one account as acme-dns itself returns it. The problem that it returns quotes
// nothing of the content.
func parseRegistration(content []byte) (state.ACMERegistration, string) {
	var single acmeAccount
	if json.Unmarshal(content, &single) == nil && single.FullDomain != "" {
		return buildRegistration(map[string]acmeAccount{"": single})
	}
	var accounts map[string]acmeAccount
	if json.Unmarshal(content, &accounts) != nil {
		return state.ACMERegistration{}, "has an unknown form"
	}
	return buildRegistration(accounts)
}

func buildRegistration(accounts map[string]acmeAccount) (state.ACMERegistration, string) {
	var found state.ACMERegistration
	for _, domain := range slices.Sorted(maps.Keys(accounts)) {
		target := accounts[domain].FullDomain
		switch {
		case len(validation.IsDNS1123Subdomain(target)) > 0:
			return found, "has an invalid target name"
		case found.FullDomain != "" && found.FullDomain != target:
			return found, "has different accounts"
		}
		if found.FullDomain = target; len(validation.IsDNS1123Subdomain(domain)) == 0 {
			found.Domains = append(found.Domains, domain)
		}
	}
	if found.FullDomain == "" {
		return found, "has no account"
	}
	return found, ""
}
