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
	var last state.Synthesis
	progress := advance{clock: c.Clock}
	wait := provisioner.Until(c.Clock, synthesisEvery, limitSynthesis, func(ctx context.Context, report provisioner.Report) error {
		registration, err := c.world.Cluster.ACMERegistration(ctx)
		if err != nil {
			if seen, unseen := c.world.Cluster.Synthesis(ctx); unseen == nil {
				last = seen
				progress.note(seen)
			}
			return progress.patiently(err)
		}
		for _, name := range Challenged(c.Spec) {
			if err := c.Alias(ctx, report, name, registration.FullDomain); err != nil {
				return err
			}
		}
		return c.remember(func(facts *state.SynFacts) { facts.ACME = registration.FullDomain })
	})
	return func(ctx context.Context, report provisioner.Report) error {
		err := wait(ctx, report) // before it is known what there was last
		return inVain("wait for the cluster's account at acme-dns", unregistered(last)+", then run again", err)
	}
}

// unregistered is where to look for an account that does not come: an application makes it, if there are any.
func unregistered(seen state.Synthesis) string {
	if len(seen.Applications) == 0 {
		return remedy(seen)
	}
	return "look at the application cert-manager and its Job acme-dns-register, correct the configuration"
}

// Challenged are the names at which ACME looks for proofs, as far as they are in the cluster's own zone; none if the cluster
// has its certificates otherwise.
func Challenged(spec state.Spec) []string {
	if !spec.DNS.ACME {
		return nil
	}
	names := []string{challenge + "api"}
	if apps, ours := strings.CutSuffix(spec.AppsDomain(), "."+spec.Domain()); ours {
		names = append(names, challenge+apps)
	}
	return names
}
