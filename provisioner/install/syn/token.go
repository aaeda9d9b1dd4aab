package syn

import (
	"context"
	"fmt"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// Lieutenant's default validity of a cluster's bootstrap token.
const tokenLife = 24 * time.Hour

// Steward can be installed only once, within a day of the registration.
func (r *registration) checkToken(report provisioner.Report, found state.SynCluster) error {
	facts := r.facts.Get().Syn
	switch {
	case !facts.ManifestUsed.IsZero():
		return nil
	case found.Catalog.DeployKey != "":
		return fault.Newf(fault.Conflict, opToken, "a Steward has reported for %s: the cluster runs already", found.ID).
			WithHint("give this cluster another ID; if the other one is gone, have it deleted in Lieutenant").WithField("cluster.id")
	case found.Catalog.URL == "": // Lieutenant's operator sets both
		report.EmitProgress(found.ID + " was registered a moment ago")
		return nil
	case found.InstallURL == "" && !r.facts.Get().IgnitionCreated.IsZero():
		// the first certificates of machines are valid for a day, so they continue; whether there are machines is checked
		// before the first
		report.EmitProgress(fmt.Sprintf("the bootstrap token of %s was used, or its %s are over: have those who run Lieutenant reset it meanwhile", found.ID, formatHours(tokenLife)))
		return nil
	case found.InstallURL == "":
		return r.newTokenExpiredError()
	case facts.Created.IsZero():
		report.EmitProgress(fmt.Sprintf("%s is registered, and its bootstrap token is valid: until %s after its registration, unless it was given another life", found.ID, formatHours(tokenLife)))
		return nil
	}
	report.EmitProgress(fmt.Sprintf("%s is registered; its bootstrap token is valid%s", found.ID, formatRemaining(facts.Created.Add(tokenLife).Sub(r.clock.Now()))))
	return nil
}

const opToken = "check the cluster's bootstrap token"

func (r *registration) newTokenExpiredError() error {
	return fault.Newf(fault.Conflict, opToken, "it was used, or its %s are over", formatHours(tokenLife)).
		WithHint("ask those who run Lieutenant to reset the bootstrap token of %s, then run again", r.spec.Cluster.ID)
}

// Lieutenant reports no expiry, and may have another validity than the usual one.
func formatRemaining(left time.Duration) string {
	const needed = 2 * time.Hour // of an installation until it uses the token
	switch {
	case left <= 0:
		return fmt.Sprintf(" although its usual %s are over: it may end at any time; if it does, those who run Lieutenant can reset it", formatHours(tokenLife))
	case left < needed:
		return fmt.Sprintf(" for about %s, and the installation may take longer: if it ends before, those who run Lieutenant can reset it", formatMinutes(left))
	}
	return fmt.Sprintf(" for about %s", formatMinutes(left))
}

// checkTokenAgain checks right before the first machine: the delegation of the domain may have taken days.
func (r *registration) checkTokenAgain(ctx context.Context, report provisioner.Report) error {
	if !r.facts.Get().Syn.ManifestUsed.IsZero() {
		return provisioner.Skip("it was used by an earlier run")
	}
	lieutenant, err := r.session.signInLieutenant(ctx, report)
	if err != nil {
		return err
	}
	found, err := lieutenant.GetCluster(ctx, r.spec.Cluster.ID)
	if err != nil {
		return err
	}
	started, err := r.started(ctx)
	if err != nil {
		return err
	}
	if found.InstallURL == "" && !started {
		return r.newTokenExpiredError()
	}
	return r.checkToken(report, found)
}

func formatMinutes(d time.Duration) string {
	text := strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	if strings.HasSuffix(text, "h0m") {
		return strings.TrimSuffix(text, "0m")
	}
	return text
}

func formatHours(d time.Duration) string { return fmt.Sprintf("%d hours", int(d.Hours())) }
