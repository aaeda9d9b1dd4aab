package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// challenge is the name that ACME looks for a proof at, before that of the domain.
const challenge = "_acme-challenge."

// acme leads the questions of ACME to the account that the cluster has made for itself. An application makes it, so the
// wait lasts as long as applications come on.
func (i *Installation) acme() body {
	progress := advance{clock: i.world.Clock}
	return hinted("wait for the cluster's account at acme-dns",
		"look at the application cert-manager and its Job acme-dns-register, correct the configuration, then run again", i.until(synthesisEvery, limitSynthesis, func(ctx context.Context, report provisioner.Report) error {
			registration, err := i.world.Syn.Cluster.ACMERegistration(ctx)
			if err != nil {
				if seen, unseen := i.world.Syn.Cluster.Synthesis(ctx); unseen == nil {
					progress.note(seen)
				}
				return progress.patiently(err)
			}
			for _, name := range i.challenged() {
				if err := i.challengeRecord(ctx, report, challenge+name, registration.FullDomain); err != nil {
					return err
				}
			}
			return i.rememberSyn(func(facts *state.SynFacts) { facts.ACME = registration.FullDomain })
		}))
}

// challenged are the names with certificates, as far as they are in the cluster's own zone.
func (i *Installation) challenged() []string {
	names := []string{"api"}
	if apps, ours := strings.CutSuffix(i.spec.AppsDomain(), "."+i.spec.Domain()); ours {
		names = append(names, apps)
	}
	return names
}

// challengeRecord makes the record, and takes away those of an earlier registration: a name leads to one place only.
func (i *Installation) challengeRecord(ctx context.Context, report provisioner.Report, name, to string) error {
	const kind = "CNAME"
	_, err := i.world.Cloud.DeleteRecords(ctx, i.zone.ID, name, kind, func(content string) bool {
		return strings.TrimSuffix(content, ".") != strings.TrimSuffix(to, ".")
	})
	if err != nil {
		return err
	}
	return i.record(ctx, report, state.Record{Name: name, Type: kind, Content: to, TTL: longTTL})
}

const (
	windowFact       = "maintenance_window"
	maintenanceEvery = 30 * time.Second
	limitMaintenance = 3 * time.Hour
	// limitSilence is long for a job of seconds: its image may have to come first.
	limitSilence = 10 * time.Minute
)

// firstMaintenance has the cluster brought up to date once before it is anybody's, as its maintenance window would.
func (i *Installation) firstMaintenance(ctx context.Context, report provisioner.Report) error {
	window := i.syn.cluster.Facts[windowFact]
	switch {
	case !i.Facts().Syn.Maintained.IsZero():
		return provisioner.Skip("it was maintained in an earlier run")
	case window == "":
		return provisioner.Skip("Lieutenant has no fact " + windowFact + " for the cluster")
	}
	var absent error
	err := i.waitTransient(ctx, report, func(ctx context.Context) error {
		action, err := i.world.Syn.Cluster.EnsureMaintenance(ctx, window)
		if fault.Is(err, fault.NotFound) {
			absent = err
			return nil
		}
		if err == nil {
			object(report, "maintenance", "first", "", action)
		}
		return err
	})
	if absent != nil {
		return provisioner.Skip("the cluster has no upgrade controller: " + absent.Error())
	}
	if err == nil {
		err = i.maintained(ctx, report)
	}
	return err
}

func (i *Installation) maintained(ctx context.Context, report provisioner.Report) error {
	var failed error
	err := i.until(maintenanceEvery, limitMaintenance, func(ctx context.Context, _ provisioner.Report) error {
		seen, err := i.world.Syn.Cluster.Maintenance(ctx)
		switch {
		case err != nil:
			return err
		case seen.State == "Succeeded":
			return nil
		case seen.State == "Failed":
			failed = fault.Newf(fault.Conflict, "maintain the cluster for the first time", "%s", cmp.Or(seen.Message, "the upgrade failed")).
				WithHint("look at the UpgradeJobs in appuio-openshift-upgrade-controller, then run again")
			return nil
		}
		return errors.New(cmp.Or(seen.Message, strings.ToLower(seen.State), "it has not begun"))
	})(ctx, report)
	if err = errors.Join(failed, err); err != nil {
		return err
	}
	if _, err := i.world.Syn.Cluster.EndMaintenance(ctx); err != nil {
		return err
	}
	return i.rememberSyn(func(facts *state.SynFacts) { facts.Maintained = i.now() })
}

// lookAtAlerts names the alerts that nobody expects on a new cluster.
func (i *Installation) lookAtAlerts(ctx context.Context, report provisioner.Report) error {
	var alerts []state.Alert
	if err := i.silenceAlerts(ctx, report); err != nil {
		return err
	}
	err := i.waitTransient(ctx, report, func(ctx context.Context) (err error) {
		alerts, err = i.world.Syn.Cluster.Alerts(ctx)
		return err
	})
	if err != nil {
		return err
	}
	var open []string
	for _, alert := range alerts {
		text := sentence(alert)
		if alert.Known == "" && !alert.Silenced {
			open = append(open, text)
		} else {
			text += " (" + cmp.Or(alert.Known, "silenced") + ")"
		}
		progress(report, text)
	}
	progress(report, fmt.Sprintf("%d alerts fire, %d of them nobody expects", len(alerts), len(open)))
	return i.rememberSyn(func(facts *state.SynFacts) { facts.Alerts = open })
}

// silenceAlerts has alerts silenced that are known to nobody's concern. Where that fails, they are only told of.
func (i *Installation) silenceAlerts(ctx context.Context, report provisioner.Report) error {
	var silenced error
	err := i.until(placeEvery, limitSilence, func(ctx context.Context, _ provisioner.Report) error {
		silenced = i.world.Syn.Cluster.SilenceAlerts(ctx)
		if fault.Is(silenced, fault.Transient) {
			return silenced
		}
		return nil
	})(ctx, report)
	switch {
	case ctx.Err() != nil:
		return err
	case silenced != nil && !fault.Is(silenced, fault.NotFound):
		progress(report, "the cluster's own silences are not in place: "+silenced.Error())
	}
	return nil
}

func sentence(alert state.Alert) string {
	text := alert.Name
	if alert.Namespace != "" {
		text += " in " + alert.Namespace
	}
	if alert.Summary != "" {
		text += ": " + alert.Summary
	}
	return text
}

// onCall has alerts wake people, unless some fire that nobody expects.
func (i *Installation) onCall(ctx context.Context, report provisioner.Report) error {
	switch facts := i.Facts().Syn; {
	case !facts.OnCall.IsZero():
		return provisioner.Skip("they do already")
	case len(facts.Alerts) > 0:
		return provisioner.Skip("alerts fire that nobody expects: look at them, then run again")
	}
	i.syn.onCall = true
	if err := i.configure(ctx, report, "Have alerts of cluster "+i.spec.Cluster.ID+" reach the people on call", true); err != nil {
		return err
	}
	return i.rememberSyn(func(facts *state.SynFacts) { facts.OnCall = i.now() })
}

// now is the moment, as the facts have it.
func (i *Installation) now() time.Time { return i.world.Clock.Now().UTC().Truncate(time.Second) }
