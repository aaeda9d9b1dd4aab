package syn

import (
	"context"
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
)

// challenge is the name that ACME looks for a proof at, before that of the domain.
const challenge = "_acme-challenge."

// ensureACME leads the questions of ACME to the account that the cluster has made for itself. An application makes it, so the
// wait lasts as long as applications come on.
func (c *Connection) ensureACME() provisioner.StepFunc {
	var last state.SynStatus
	progress := progressTracker{clock: c.Clock}
	wait := provisioner.PollUntil(c.Clock, synthesisEvery, limitSynthesis, func(ctx context.Context, report provisioner.Report) error {
		registration, err := c.clients.Cluster.GetACMERegistration(ctx)
		if err != nil {
			if seen, unseen := c.clients.Cluster.GetSynthesis(ctx); unseen == nil {
				last = seen
				progress.track(seen)
			}
			return progress.extendDeadline(err)
		}
		for _, name := range ListChallengeNames(c.Spec) {
			if err := c.Alias(ctx, report, name, registration.FullDomain); err != nil {
				return err
			}
		}
		return c.updateFacts(func(facts *state.SynFacts) { facts.ACME = registration.FullDomain })
	})
	return func(ctx context.Context, report provisioner.Report) error {
		err := wait(ctx, report) // before it is known what there was last
		return wrapTimeout("wait for the cluster's account at acme-dns", findACMEHint(last)+", then run again", err)
	}
}

// findACMEHint is where to look for an account that does not come: an application makes it, if there are any.
func findACMEHint(seen state.SynStatus) string {
	if len(seen.Applications) == 0 {
		return findSynthesisHint(seen)
	}
	return "look at the application cert-manager and its Job acme-dns-register, correct the configuration"
}

// ListChallengeNames are the names at which ACME looks for proofs, as far as they are in the cluster's own zone; none if the cluster
// has its certificates otherwise.
func ListChallengeNames(spec state.Spec) []string {
	if !spec.DNS.ACME {
		return nil
	}
	names := []string{challenge + "api"}
	if apps, ours := strings.CutSuffix(spec.AppsDomain(), "."+spec.Domain()); ours {
		names = append(names, challenge+apps)
	}
	return names
}
