package syn

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

const (
	silenceEvery = 10 * time.Second
	// limitSilence is long for a job of seconds: its image may have to be pulled first.
	limitSilence = 10 * time.Minute
)

func (o *operations) checkAlerts(ctx context.Context, report provisioner.Report) error {
	var alerts []state.Alert
	if err := o.silenceAlerts(ctx, report); err != nil {
		return err
	}
	err := waitTransient(ctx, o.clock, report, func(ctx context.Context) (err error) {
		alerts, err = o.gitOps.ListAlerts(ctx)
		return err
	})
	if err != nil {
		return err
	}
	var open []string
	for _, alert := range alerts {
		text := formatAlert(alert)
		if alert.Known == "" && !alert.Silenced {
			open = append(open, text)
		} else {
			text += " (" + cmp.Or(alert.Known, "silenced") + ")"
		}
		report.EmitProgress(text)
	}
	report.EmitProgress(formatFiring(len(alerts), len(open)))
	return o.facts.UpdateSyn(func(facts *state.SynFacts) { facts.Alerts = open })
}

func formatFiring(all, open int) string {
	switch {
	case all == 0:
		return "no alert fires"
	case all == 1 && open == 1:
		return "1 alert fires, which is not expected"
	case all == 1:
		return "1 alert fires, which is expected on a new cluster"
	case open == 0:
		return fmt.Sprintf("%d alerts fire, all of them expected on a new cluster", all)
	}
	return fmt.Sprintf("%d alerts fire, %d of them unexpected", all, open)
}

// Alerts that need no action are silenced. If that fails, they are only emitted.
func (o *operations) silenceAlerts(ctx context.Context, report provisioner.Report) error {
	var silenced error
	err := provisioner.PollUntil(o.clock, silenceEvery, limitSilence, func(ctx context.Context, _ provisioner.Report) error {
		silenced = o.gitOps.SilenceAlerts(ctx)
		if fault.Is(silenced, fault.Transient) {
			return silenced
		}
		return nil
	})(ctx, report)
	switch {
	case ctx.Err() != nil:
		return err
	case silenced != nil && !fault.Is(silenced, fault.NotFound):
		report.EmitProgress("the cluster's own silences are not in place: " + silenced.Error())
	}
	return nil
}

func formatAlert(alert state.Alert) string {
	text := alert.Name
	if alert.Namespace != "" {
		text += " in " + alert.Namespace
	}
	if alert.Summary != "" {
		text += ": " + alert.Summary
	}
	return text
}

func (o *operations) onCall(ctx context.Context, report provisioner.Report) error {
	switch facts := o.facts.Get().Syn; {
	case !facts.OnCall.IsZero():
		return provisioner.Skip("they do already")
	case len(facts.Alerts) > 0:
		return provisioner.Skip("unexpected alerts fire (" + strings.Join(limitSentences(facts.Alerts), "; ") + "): resolve them, then run again")
	}
	o.catalog.alerting = true
	if err := o.catalog.configure(ctx, report, "Get alerts of cluster "+o.spec.Cluster.ID+" routed to on-call", true); err != nil {
		return err
	}
	return o.facts.UpdateSyn(func(facts *state.SynFacts) { facts.OnCall = now(o.clock) })
}
