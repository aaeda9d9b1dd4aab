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

// checkToken checks the one token by which Steward can be installed, within a day of the registration. What has begun
// continues: the first certificates of machines are valid for a day, too, and whoever runs Lieutenant can reset the token
// meanwhile.
func (r *registration) checkToken(report provisioner.Report, found state.SynCluster, begun bool) error {
	switch {
	case !r.facts.Get().Syn.ManifestUsed.IsZero():
		return nil
	case found.Catalog.DeployKey != "":
		return fault.Newf(fault.Conflict, opToken, "a Steward has reported for %s: the cluster is already running", found.ID).
			WithHint("choose another ID; if the other cluster no longer exists, have it deleted in Lieutenant").WithField("cluster.id")
	case found.Catalog.URL == "": // Lieutenant's operator sets both
		report.EmitProgress(found.ID + " was registered a moment ago")
		return nil
	case found.InstallURL == "" && begun:
		report.EmitProgress(fmt.Sprintf("the bootstrap token of %s was used, or its %s have passed: ask the operator of Lieutenant to reset it", found.ID, formatHours(tokenLife)))
		return nil
	case found.InstallURL == "":
		return r.newTokenExpiredError()
	}
	if err := r.session.clients.Lieutenant.CheckInstallURL(found.InstallURL); err != nil {
		return err
	}
	return r.checkTokenAge(report, found.ID, begun)
}

// checkTokenAge stops before the first machine: Lieutenant offers a token long after its end, and reports neither its age nor
// its end.
func (r *registration) checkTokenAge(report provisioner.Report, id string, begun bool) error {
	created := r.facts.Get().Syn.Created
	left := created.Add(tokenLife).Sub(r.clock.Now())
	problem := ""
	switch {
	case created.IsZero():
		problem = "its age is not known: the cluster was not registered from this folder"
	case left <= 0:
		problem = fmt.Sprintf("the cluster was registered more than %s ago, the validity of a token", formatHours(tokenLife))
	}
	switch {
	case problem == "":
		report.EmitProgress(fmt.Sprintf("%s is registered; its bootstrap token is valid%s", id, formatRemaining(left)))
	case r.trustToken:
		report.EmitProgress("the bootstrap token is used as requested, although " + problem)
	case begun:
		report.EmitProgress("the bootstrap token may have expired: " + problem + "; ask the operator of Lieutenant to reset it")
	default:
		return fault.Newf(fault.Conflict, opToken, "Lieutenant offers it, and %s", problem).
			WithHint("ask the operator of Lieutenant to reset the bootstrap token of %s, or whether it is valid for two more hours; then run again with --trust-bootstrap-token", id)
	}
	return nil
}

const opToken = "check the cluster's bootstrap token"

func (r *registration) newTokenExpiredError() error {
	return fault.Newf(fault.Conflict, opToken, "it was used, or its %s have passed", formatHours(tokenLife)).
		WithHint("ask the operator of Lieutenant to reset the bootstrap token of %s, then run again", r.spec.Cluster.ID)
}

func formatRemaining(left time.Duration) string {
	const needed = 2 * time.Hour // of an installation until it uses the token
	if left < needed {
		return fmt.Sprintf(" for about %s, and the installation may take longer: if it expires, the operator of Lieutenant can reset it", formatMinutes(left))
	}
	return fmt.Sprintf(" for about %s", formatMinutes(left))
}

// checkTokenAgain checks right before the first machine: the delegation of the domain may have taken days.
func (r *registration) checkTokenAgain(ctx context.Context, report provisioner.Report) error {
	if !r.facts.Get().Syn.ManifestUsed.IsZero() {
		return provisioner.Skip("an earlier run used it")
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
	return r.checkToken(report, found, started)
}

func formatMinutes(d time.Duration) string {
	text := strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	if strings.HasSuffix(text, "h0m") {
		return strings.TrimSuffix(text, "0m")
	}
	return text
}

func formatHours(d time.Duration) string { return fmt.Sprintf("%d hours", int(d.Hours())) }
