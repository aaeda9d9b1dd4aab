package run

import (
	"cmp"
	"fmt"
	"strings"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/state"
	"exoshift/tui/components/cluster"
	"exoshift/tui/theme"
)

// formatEvent formats an event as one sentence. title is the title of its step, where it has one.
func formatEvent(e provisioner.Event, title string) string {
	switch e.Type {
	case provisioner.TypeRun:
		return formatRun(e)
	case provisioner.TypeStep:
		return formatStep(e, cmp.Or(title, e.Step))
	case provisioner.TypeWait:
		return e.Last + " (" + cmp.Or(e.What, title, e.Step) + ")"
	case provisioner.TypeBootstrap:
		return "reached " + e.Phase + text.WithAffixes(e.Text, ": ", "")
	case provisioner.TypeEtcd:
		return formatEtcd(e.Members)
	case provisioner.TypeNode:
		return e.Name + " is " + e.State + text.WithAffixes(e.Reason, " (", ")")
	case provisioner.TypeCSR:
		return formatCSR(e)
	case provisioner.TypeObject:
		return e.Action + " " + FormatKind(e.Kind) + " " + e.Name
	case provisioner.TypeCertificates:
		return formatCertificates(e)
	}
	return formatObservation(e)
}

// formatObservation formats events about the cluster and its bootstrap machine.
func formatObservation(e provisioner.Event) string {
	switch e.Type {
	case provisioner.TypeProbe:
		return e.Name + " " + strings.Replace(e.State, provisioner.Unreachable, "does not answer", 1) + text.WithAffixes(e.Reason, ": ", "")
	case provisioner.TypeStage:
		return e.Name + " " + e.State + text.WithAffixes(e.Text, " ", "") + text.WithAffixes(e.Reason, ": ", "")
	case provisioner.TypeJournal:
		return e.Text
	case provisioner.TypeVersion:
		if e.Percent != nil {
			return fmt.Sprintf("%s %d%%", e.State, *e.Percent) + text.WithAffixes(e.Text, ": ", "")
		}
		return e.State + text.WithAffixes(e.Text, ": ", "")
	case provisioner.TypeOperator:
		return e.Name + " is " + e.State + text.WithAffixes(e.Reason, ": ", "")
	case provisioner.TypeTarget, provisioner.TypePool:
		return e.Name + ": " + e.Text + text.WithAffixes(e.Reason, ", ", "")
	case provisioner.TypeCeph:
		return e.State + text.WithAffixes(e.Text, ": ", "")
	case provisioner.TypeApplication:
		return handover.ToApplicationStatus(e).String()
	case provisioner.TypeDiagnosis:
		return formatFinding(e)
	case provisioner.TypeOutage, provisioner.TypeRepair, provisioner.TypeDecision:
		return e.Text + text.WithAffixes(e.Reason, ": ", "")
	}
	if e.State == provisioner.Failed {
		return e.Text + text.WithAffixes(e.Reason, ": ", "")
	}
	return e.Text
}

func formatFinding(e provisioner.Event) string {
	if e.State == provisioner.Gone {
		return "resolved: " + cmp.Or(e.Text, e.Name)
	}
	return cmp.Or(e.Text, e.Name) + text.WithAffixes(e.Confidence, " (", ")")
}

func formatCertificates(e provisioner.Event) string {
	if e.Until == nil {
		return e.Text
	}
	return "the first certificates expire at " + e.Until.UTC().Format("2006-01-02 15:04 MST")
}

func formatRun(e provisioner.Event) string {
	if e.State != provisioner.Finished {
		return "the run " + cmp.Or(e.State, "continues") + text.WithAffixes(e.Text, ": ", "")
	}
	sentence := "the run ended: " + cmp.Or(e.Result, "unknown")
	if e.ExitCode != nil {
		sentence += fmt.Sprintf(", exit code %d", *e.ExitCode)
	}
	return sentence + text.WithAffixes(e.Text, ", ", "")
}

func formatStep(e provisioner.Event, title string) string {
	switch e.State {
	case provisioner.Started:
		return "started: " + title
	case provisioner.Progress:
		return e.Text + " (" + title + ")"
	}
	if e.Text == provisioner.Stopped {
		return "stopped: " + title
	}
	return e.State + ": " + title + text.WithAffixes(e.Text, ": ", "")
}

func formatEtcd(members []provisioner.Member) string {
	var names []string
	for _, m := range members {
		name := strings.TrimPrefix(m.Name, "etcd-")
		if m.State != "voter" {
			name += " (" + m.State + ")"
		}
		names = append(names, name)
	}
	return text.Plural(len(members), "member") + ": " + strings.Join(names, ", ")
}

func formatCSR(e provisioner.Event) string {
	if e.Decision == state.Approved {
		return "approved " + e.Name + text.WithAffixes(e.Node, " of ", "") + text.WithAffixes(e.Reason, " (", ")")
	}
	if e.Decision == state.Undecided {
		return e.Name + text.WithAffixes(e.Node, " of ", "") + " waits for your decision" + text.WithAffixes(e.Reason, ": ", "")
	}
	return "left " + e.Name + text.WithAffixes(e.Node, " of ", "") + " to you" + text.WithAffixes(e.Reason, ": ", "")
}

// The name is at most nine cells long.
func formatArea(e provisioner.Event) string {
	switch e.Type {
	case provisioner.TypeBootstrap:
		return "boot"
	case provisioner.TypeObject:
		return "cloud"
	case provisioner.TypeCertificates:
		return "certs"
	case provisioner.TypeApplication:
		return "syn"
	case provisioner.TypeJournal:
		return strings.TrimSuffix(e.Name, ".service")
	}
	return string(e.Type)
}

func isWarning(e provisioner.Event) bool {
	switch e.Type {
	case provisioner.TypeDiagnosis, provisioner.TypeOutage:
		return e.State == provisioner.Present
	case provisioner.TypeDecision:
		return e.State != provisioner.Gone
	case provisioner.TypeGathered, provisioner.TypeRepair:
		return e.State == provisioner.Failed
	}
	return false
}

// mapEventStatus has no special status for most events.
func mapEventStatus(e provisioner.Event) theme.Status {
	switch {
	case e.Text == provisioner.Stopped:
		return theme.Warn
	case e.State == provisioner.Failed && (e.Type == provisioner.TypeStep || e.Type == provisioner.TypeStage), e.Result == "failed":
		return theme.Failed
	case e.Type == provisioner.TypeCSR && e.Decision != state.Approved, e.Result == "interrupted":
		return theme.Warn
	case e.Type == provisioner.TypeNode:
		return cluster.MapNodeStatus(provisioner.NodeView{State: e.State})
	case e.Type == provisioner.TypeOperator:
		return cluster.MapOperatorStatus(e)
	case e.Type == provisioner.TypeApplication:
		return cluster.MapApplicationStatus(e)
	case e.Type == provisioner.TypeVersion:
		return cluster.MapVersionStatus(e)
	case isWarning(e):
		return theme.Warn
	case e.State == provisioner.Done, e.Result == "ok", e.Type == provisioner.TypeBootstrap:
		return theme.OK
	}
	return theme.Waiting
}
