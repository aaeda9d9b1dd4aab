package syn

import (
	"context"
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
)

// challenge is the name that ACME looks for a proof at, before that of the domain.
const challenge = "_acme-challenge."

// acme leads the questions of ACME to the account that the cluster has made for itself. An application makes it, so the
// wait lasts as long as applications come on.
func (c *Connection) acme() provisioner.Body {
	progress := advance{clock: c.Clock}
	return hinted("wait for the cluster's account at acme-dns",
		"look at the application cert-manager and its Job acme-dns-register, correct the configuration, then run again", provisioner.Until(c.Clock, synthesisEvery, limitSynthesis, func(ctx context.Context, report provisioner.Report) error {
			registration, err := c.world.Cluster.ACMERegistration(ctx)
			if err != nil {
				if seen, unseen := c.world.Cluster.Synthesis(ctx); unseen == nil {
					progress.note(seen)
				}
				return progress.patiently(err)
			}
			for _, name := range c.challenged() {
				if err := c.Alias(ctx, report, challenge+name, registration.FullDomain); err != nil {
					return err
				}
			}
			return c.remember(func(facts *state.SynFacts) { facts.ACME = registration.FullDomain })
		}))
}

// challenged are the names with certificates, as far as they are in the cluster's own zone.
func (c *Connection) challenged() []string {
	names := []string{"api"}
	if apps, ours := strings.CutSuffix(c.Spec.AppsDomain(), "."+c.Spec.Domain()); ours {
		names = append(names, apps)
	}
	return names
}
