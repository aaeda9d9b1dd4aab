package syn

import (
	"context"
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
)

// The prefix of the names of ACME's DNS-01 challenges.
const challenge = "_acme-challenge."

// ensureACME points the challenge names to the account that the cluster has registered. An application registers it, so
// the wait lasts as long as applications make progress.
func (s *synthesis) ensureACME() provisioner.StepFunc {
	var last state.SynStatus
	progress := progressTracker{clock: s.clock}
	wait := provisioner.PollUntil(s.clock, synthesisEvery, limitSynthesis, func(ctx context.Context, report provisioner.Report) error {
		registration, err := s.gitOps.GetACMERegistration(ctx)
		if err != nil {
			if seen, unseen := s.gitOps.GetSynthesis(ctx); unseen == nil {
				last = seen
				progress.track(seen)
			}
			return progress.extendDeadline(err)
		}
		for _, name := range ListChallengeNames(s.spec) {
			if err := s.alias(ctx, report, name, registration.FullDomain); err != nil {
				return err
			}
		}
		return s.facts.UpdateSyn(func(facts *state.SynFacts) { facts.ACME = registration.FullDomain })
	})
	return func(ctx context.Context, report provisioner.Report) error {
		err := wait(ctx, report) // before the previous value is known
		return wrapTimeout("wait for the cluster's account at acme-dns", findACMEHint(last)+", then run again", err)
	}
}

// An application registers the account, so the hint names those that are not healthy.
func findACMEHint(seen state.SynStatus) string {
	if len(seen.Applications) == 0 {
		return findSynthesisHint(seen)
	}
	return "check the application cert-manager and its Job acme-dns-register, and correct the configuration"
}

// ListChallengeNames returns the names of ACME challenges in the cluster's own zone; none if the cluster does not use
// ACME.
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
