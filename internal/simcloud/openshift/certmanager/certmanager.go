// Package certmanager is cert-manager in a simulated cluster, and the registration at acme-dns.
package certmanager

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/miekg/dns"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/container"
)

const (
	certificateResource = "certificates.cert-manager.io"
	certManagerInterval = 15 * time.Second
	challengePrefix     = "_acme-challenge."
	// challengeResolver is the only resolver that the component is configured with.
	challengeResolver = "1.1.1.1:53"
	// acmeTime is how long an authority takes once it finds the challenge's record (inferred).
	acmeTime = 30 * time.Second
)

// RunCertManager issues a certificate once every one of its names has a CNAME to the cluster's account at acme-dns.
func RunCertManager(ctx context.Context, c container.Container) error {
	c.Running()
	for ctx.Err() == nil {
		if c.Cluster.Members.CheckQuorum() == nil {
			for _, certificate := range c.Cluster.Objects.List(certificateResource, "") {
				if certificate.Condition("Ready").GetString("status") == "True" {
					continue
				}
				if err := syncCertificate(ctx, c, certificate); err != nil {
					c.Machine.Console("cert-manager: %s: %v", certificate.Name(), err)
				}
			}
		}
		_ = c.Cluster.Clock.Sleep(ctx, certManagerInterval)
	}
	return ctx.Err()
}

func syncCertificate(ctx context.Context, c container.Container, certificate kube.Object) error {
	waits := findFailedChallenge(ctx, c, certificate)
	issuing := certificate.Condition("Issuing").GetString("status") == "True"
	since, _ := time.Parse(time.RFC3339, certificate.Condition("Issuing").GetString("lastTransitionTime"))
	done := waits == "" && issuing && c.Cluster.Clock.Now().Sub(since) >= c.Cluster.Faults.ScaleDuration(acmeTime)
	if done {
		secret := kube.NewNamed(certificate.GetString("spec.secretName"))
		secret["type"] = "kubernetes.io/tls"
		secret["data"] = kube.Object{"tls.crt": "", "tls.key": ""} // nothing in the simulation serves it
		if err := c.Cluster.Objects.Ensure(cluster.SecretResource, certificate.Namespace(), secret, nil); err != nil {
			return err
		}
	}
	_, err := c.Cluster.Objects.Update(certificateResource, certificate.Namespace(), certificate.Name(), func(o kube.Object) error {
		if done {
			o.SetCondition(c.Cluster.Timestamp(), "Ready", "True", "Ready", "Certificate is up to date and has not expired")
			o.SetCondition(c.Cluster.Timestamp(), "Issuing", "False", "Issued", "")
			return nil
		}
		message := "Issuing certificate as Secret does not exist"
		if waits != "" {
			message += ": " + waits
		}
		o.SetCondition(c.Cluster.Timestamp(), "Ready", "False", "DoesNotExist", "Issuing certificate as Secret does not exist")
		o.SetCondition(c.Cluster.Timestamp(), "Issuing", "True", "DoesNotExist", message)
		return nil
	})
	return err
}

// findFailedChallenge returns why a challenge of a certificate fails, "" if none does. The authority resolves names recursively.
func findFailedChallenge(ctx context.Context, c container.Container, certificate kube.Object) string {
	for _, name := range certificate.GetStrings("spec.dnsNames") {
		name = strings.TrimPrefix(name, "*.")
		account := findACMEAccount(c.Cluster, name)
		if account.Fulldomain == "" {
			return fmt.Sprintf("there is no account at acme-dns for %s", name)
		}
		leads, err := lookupCNAME(ctx, c, challengePrefix+name)
		if err != nil {
			return fmt.Sprintf("%s%s cannot be looked up: %v", challengePrefix, name, err)
		}
		if !strings.EqualFold(leads, account.Fulldomain) {
			return fmt.Sprintf("%s%s does not lead to %s", challengePrefix, name, account.Fulldomain)
		}
	}
	return ""
}

func findACMEAccount(c *cluster.Cluster, name string) AcmeAccount {
	secret, _ := c.Objects.Get(cluster.SecretResource, "syn-cert-manager", "acme-dns-client")
	accounts := ReadAccounts(secret)
	for domain, account := range accounts {
		if strings.EqualFold(strings.TrimPrefix(domain, "*."), name) {
			return account
		}
	}
	return AcmeAccount{}
}

func lookupCNAME(ctx context.Context, c container.Container, name string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Cluster.Timeout())
	defer cancel()
	resolver := network.NewResolver(c.Machine.Network().Dial, challengeResolver)
	question := new(dns.Msg)
	question.SetQuestion(dns.Fqdn(name), dns.TypeCNAME)
	answer, err := resolver(ctx, question)
	if err != nil {
		return "", err
	}
	for _, record := range answer.Answer {
		if found, ok := record.(*dns.CNAME); ok {
			return strings.TrimSuffix(found.Target, "."), nil
		}
	}
	return "", nil
}
