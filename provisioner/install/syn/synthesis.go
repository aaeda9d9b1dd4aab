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
	// limitSynthesis is how long nothing may change: an operator of Argo CD that is stuck is mended by Steward after ten
	// minutes, so a slow start may take longer than that.
	limitSynthesis = 30 * time.Minute
)

// synthesis waits until Argo CD has made the cluster what its catalog says.
func (c *Connection) synthesis() provisioner.Body {
	var last state.Synthesis
	progress := advance{clock: c.Clock}
	wait := provisioner.Until(c.Clock, synthesisEvery, limitSynthesis, func(ctx context.Context, report provisioner.Report) error {
		seen, err := c.world.Cluster.Synthesis(ctx)
		switch {
		case fault.Is(err, fault.Transient):
			return progress.patiently(err)
		case err != nil:
			return err
		}
		last = seen
		c.tellApplications(report, seen)
		progress.note(seen)
		return progress.patiently(lacking(seen))
	})
	return func(ctx context.Context, report provisioner.Report) error {
		if err := wait(ctx, report); err != nil {
			return c.unsynthesized(last, err)
		}
		return c.remember(func(facts *state.SynFacts) {
			if facts.Synthesized.IsZero() {
				facts.Synthesized = c.now()
			}
		})
	}
}

// unsynthesized adds what to do about a wait that was in vain.
func (c *Connection) unsynthesized(seen state.Synthesis, err error) error {
	const op = "wait for the applications"
	var limit *provisioner.LimitError
	if errors.As(err, &limit) && !c.Spec.DNS.ACME && strings.Contains(err.Error(), "ertificate") {
		return fault.New(fault.Timeout, op, err).
			WithHint("the catalog wants certificates by ACME: set dns.acme to true and run again; or change the cluster's configuration").About("dns.acme")
	}
	return inVain(op, remedy(seen)+", then run again", err)
}

// remedy is where to look for what a synthesis lacks: at the first that the others depend on.
func remedy(seen state.Synthesis) string {
	switch {
	case seen.Steward.Name == "":
		return "see that the cluster's API answers"
	case !seen.Steward.Well():
		return "look at the pods of the Deployment steward in the namespace syn"
	case seen.Root.Health == "Missing":
		return "look at the log of the Deployment steward in the namespace syn"
	case len(seen.Applications) == 0 && !seen.Root.Well():
		return "see that the nodes reach the Git host, and that the key in the Secret syn/argo-ssh-key opens the catalog there"
	case !seen.Argo.Well():
		return "look at the pods in the namespaces syn-argocd-operator and syn"
	}
	return "look at these applications in the namespace syn and correct the configuration or Vault (a commit that failed to sync is not tried again: " +
		"it takes another one, or somebody who syncs by hand)"
}

// brief keeps the beginning of a sentence: many of them are told together.
func brief(sentence string) string {
	const most = 100
	if letters := []rune(sentence); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return sentence
}

// lacking says what is not as it should be; nil if all is.
func lacking(seen state.Synthesis) error {
	for _, part := range []state.ApplicationStatus{seen.Steward, seen.Argo, seen.Root} {
		switch {
		case part.Well():
		case part == seen.Argo && !seen.Root.Well() && seen.Root.Sync != "": // the operator is brought by the catalog
			return errors.New(part.String() + "; " + seen.Root.String())
		default:
			return errors.New(part.String())
		}
	}
	var ill []string
	for _, one := range seen.Applications {
		if !one.Well() {
			ill = append(ill, brief(one.String()))
		}
	}
	switch {
	case len(seen.Applications) == 0:
		return errors.New("the catalog has brought no application yet")
	case len(ill) == 0:
		return nil
	}
	well, all := seen.Count()
	return fmt.Errorf("%d of %d applications are synced and healthy; %s", well, all, strings.Join(shortened(ill), "; "))
}

// shortened keeps the first of many.
func shortened(sentences []string) []string {
	const most = 3
	if len(sentences) <= most {
		return sentences
	}
	return append(sentences[:most:most], fmt.Sprintf("and %d more", len(sentences)-most))
}

// tellApplications tells what changed since the last look.
func (c *Connection) tellApplications(report provisioner.Report, seen state.Synthesis) {
	for _, one := range append([]state.ApplicationStatus{seen.Steward, seen.Argo, seen.Root}, seen.Applications...) {
		if one.Health != "" && c.Changed("application/"+one.Name, fmt.Sprint(one)) {
			report(provisioner.Event{Type: provisioner.TypeApplication, Name: one.Name, State: one.Health, Sync: one.Sync, Reason: one.Message})
		}
	}
}

// advance tells whether something is as it never was: what comes and goes, and messages that count how often something was
// tried, would keep a wait up for ever.
type advance struct {
	clock provisioner.Clock
	seen  map[string]bool // what each application was already
	last  time.Time
}

func (a *advance) note(seen state.Synthesis) {
	if a.seen == nil {
		a.seen = map[string]bool{}
	}
	for _, one := range append([]state.ApplicationStatus{seen.Steward, seen.Argo, seen.Root}, seen.Applications...) {
		if was := fmt.Sprintf("%q %q %q", one.Name, one.Health, one.Sync); !a.seen[was] {
			a.seen[was], a.last = true, a.clock.Now()
		}
	}
}

// patiently lets a wait go on as long as it comes further.
func (a *advance) patiently(err error) error {
	if err == nil || a.last.IsZero() || a.clock.Now().Sub(a.last) >= limitSynthesis/2 {
		return err
	}
	return provisioner.Moving(err)
}
