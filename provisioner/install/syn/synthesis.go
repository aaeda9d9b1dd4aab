package syn

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

const (
	synthesisEvery = 10 * time.Second
	// limitSynthesis is the time without progress: Steward repairs a stuck operator of Argo CD after ten minutes, so a
	// slow start may take longer than that.
	limitSynthesis = 30 * time.Minute
)

// synthesis waits until Argo CD runs what the catalog contains.
type synthesis struct {
	spec   state.Spec
	facts  *state.FactsStore
	clock  provisioner.Clock
	gitOps GitOps
	alias  func(ctx context.Context, report provisioner.Report, name, to string) error
	states provisioner.LastStates // of applications
}

func (s *synthesis) wait() provisioner.StepFunc {
	var last state.SynStatus
	progress := progressTracker{clock: s.clock}
	poll := provisioner.PollUntil(s.clock, synthesisEvery, limitSynthesis, func(ctx context.Context, report provisioner.Report) error {
		seen, err := s.gitOps.GetSynthesis(ctx)
		switch {
		case fault.Is(err, fault.Transient):
			return progress.extendDeadline(err)
		case err != nil:
			return err
		}
		last = seen
		s.emitApplications(report, seen)
		progress.track(seen)
		return progress.extendDeadline(checkSynthesis(seen))
	})
	return func(ctx context.Context, report provisioner.Report) error {
		if err := poll(ctx, report); err != nil {
			return s.wrapError(last, err)
		}
		return s.facts.UpdateSyn(func(facts *state.SynFacts) {
			if facts.Synthesized.IsZero() {
				facts.Synthesized = now(s.clock)
			}
		})
	}
}

func (s *synthesis) wrapError(seen state.SynStatus, err error) error {
	const op = "wait for the applications"
	var limit *provisioner.LimitError
	if errors.As(err, &limit) && !s.spec.DNS.ACME && strings.Contains(err.Error(), "ertificate") {
		return fault.New(fault.Timeout, op, err).
			WithHint("the catalog requires ACME certificates: set dns.acme to true and run again; or change the cluster's configuration").WithField("dns.acme")
	}
	return wrapTimeout(op, findSynthesisHint(seen)+", then run again", err)
}

// The hint is about the first part that the others depend on.
func findSynthesisHint(seen state.SynStatus) string {
	switch {
	case seen.Steward.Name == "":
		return "check that the cluster's API answers"
	case !seen.Steward.IsHealthy():
		return "check the pods of the Deployment steward in the namespace syn"
	case seen.Root.Health == "Missing":
		return "check the log of the Deployment steward in the namespace syn"
	case len(seen.Applications) == 0 && !seen.Root.IsHealthy():
		return "check that the nodes reach the Git host, and that the key in the Secret syn/argo-ssh-key has access to the catalog"
	case !seen.Argo.IsHealthy():
		return "check the pods in the namespaces syn-argocd-operator and syn"
	}
	return "check these applications in the namespace syn and correct the configuration or Vault (a commit that failed to sync is not retried: " +
		"a new commit or a manual sync is required)"
}

func truncateSentence(sentence string) string {
	const most = 100
	if letters := []rune(sentence); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return sentence
}

func checkSynthesis(seen state.SynStatus) error {
	for _, part := range []state.ApplicationStatus{seen.Steward, seen.Argo, seen.Root} {
		switch {
		case part.IsHealthy():
		case part == seen.Argo && !seen.Root.IsHealthy() && seen.Root.Sync != "": // the catalog installs the operator
			return errors.New(part.String() + "; " + seen.Root.String())
		default:
			return errors.New(part.String())
		}
	}
	var ill []string
	for _, one := range seen.Applications {
		if !one.IsHealthy() {
			ill = append(ill, truncateSentence(one.String()))
		}
	}
	switch {
	case len(seen.Applications) == 0:
		return errors.New("the catalog has no applications yet")
	case len(ill) == 0:
		return nil
	}
	well, all := seen.Count()
	return fmt.Errorf("%d of %d applications are synced and healthy; %s", well, all, strings.Join(limitSentences(ill), "; "))
}

func limitSentences(sentences []string) []string {
	const most = 3
	if len(sentences) <= most {
		return sentences
	}
	return append(sentences[:most:most], fmt.Sprintf("and %d more", len(sentences)-most))
}

func (s *synthesis) emitApplications(report provisioner.Report, seen state.SynStatus) {
	for _, one := range append([]state.ApplicationStatus{seen.Steward, seen.Argo, seen.Root}, seen.Applications...) {
		if one.Health != "" && s.states.Update("application/"+one.Name, fmt.Sprint(one)) {
			report(provisioner.Event{Type: provisioner.TypeApplication, Name: one.Name, State: one.Health, Sync: one.Sync, Reason: one.Message})
		}
	}
}

// progressTracker counts states that an application never had before: states that alternate, and messages that count
// retries, would extend a wait for ever.
type progressTracker struct {
	clock provisioner.Clock
	seen  map[string]bool // all states of each application so far
	last  time.Time
}

func (a *progressTracker) track(seen state.SynStatus) {
	if a.seen == nil {
		a.seen = map[string]bool{}
	}
	for _, one := range append([]state.ApplicationStatus{seen.Steward, seen.Argo, seen.Root}, seen.Applications...) {
		if was := fmt.Sprintf("%q %q %q", one.Name, one.Health, one.Sync); !a.seen[was] {
			a.seen[was], a.last = true, a.clock.Now()
		}
	}
}

func (a *progressTracker) extendDeadline(err error) error {
	if err == nil || a.last.IsZero() || a.clock.Now().Sub(a.last) >= limitSynthesis/2 {
		return err
	}
	return provisioner.Progressing(err)
}
