package pane

import (
	"cmp"
	"fmt"
	"strings"

	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/state"
)

// Sentence tells an event in one sentence. title is what its step is called, where it has one.
func Sentence(e provisioner.Event, title string) string {
	switch e.Type {
	case provisioner.TypeRun:
		return runSentence(e)
	case provisioner.TypeStep:
		return stepSentence(e, cmp.Or(title, e.Step))
	case provisioner.TypeWait:
		return e.Last + " (" + cmp.Or(e.What, title, e.Step) + ")"
	case provisioner.TypeBootstrap:
		return "reached " + e.Phase + because(e.Text, ": ", "")
	case provisioner.TypeEtcd:
		return etcdSentence(e.Members)
	case provisioner.TypeNode:
		return e.Name + " is " + e.State + because(e.Reason, " (", ")")
	case provisioner.TypeCSR:
		return csrSentence(e)
	case provisioner.TypeObject:
		return e.Action + " " + kindName(e.Kind) + " " + e.Name
	case provisioner.TypeCertificates:
		return certificatesSentence(e)
	}
	return observedSentence(e)
}

// observedSentence tells an event of what was observed of the cluster and its bootstrap machine.
func observedSentence(e provisioner.Event) string {
	switch e.Type {
	case provisioner.TypeProbe:
		return e.Name + " " + strings.Replace(e.State, provisioner.Unreachable, "does not answer", 1) + because(e.Reason, ": ", "")
	case provisioner.TypeStage:
		return e.Name + " " + e.State + because(e.Text, " ", "") + because(e.Reason, ": ", "")
	case provisioner.TypeJournal:
		return e.Text
	case provisioner.TypeVersion:
		if e.Percent != nil {
			return fmt.Sprintf("%s %d%%", e.State, *e.Percent) + because(e.Text, ": ", "")
		}
		return e.State + because(e.Text, ": ", "")
	case provisioner.TypeOperator:
		return e.Name + " is " + e.State + because(e.Reason, ": ", "")
	case provisioner.TypeApplication:
		return handover.Application(e).String()
	case provisioner.TypeDiagnosis:
		return findingSentence(e)
	}
	if e.State == provisioner.Failed {
		return e.Text + because(e.Reason, ": ", "")
	}
	return e.Text
}

func findingSentence(e provisioner.Event) string {
	if e.State == provisioner.Gone {
		return "no longer: " + cmp.Or(e.Text, e.Name)
	}
	return cmp.Or(e.Text, e.Name) + because(e.Confidence, " (", ")")
}

func certificatesSentence(e provisioner.Event) string {
	if e.Until == nil {
		return e.Text
	}
	return "the first certificates end at " + e.Until.UTC().Format("2006-01-02 15:04 MST")
}

func because(text, before, after string) string {
	if text == "" {
		return ""
	}
	return before + text + after
}

func runSentence(e provisioner.Event) string {
	if e.State != provisioner.Finished {
		return "the run " + cmp.Or(e.State, "goes on") + because(e.Text, ": ", "")
	}
	text := "the run ended: " + cmp.Or(e.Result, "unknown")
	if e.ExitCode != nil {
		text += fmt.Sprintf(", exit code %d", *e.ExitCode)
	}
	return text + because(e.Text, ", ", "")
}

func stepSentence(e provisioner.Event, title string) string {
	switch e.State {
	case provisioner.Started:
		return "started: " + title
	case provisioner.Progress:
		return e.Text + " (" + title + ")"
	}
	if e.Text == provisioner.Stopped {
		return "stopped: " + title
	}
	return e.State + ": " + title + because(e.Text, ": ", "")
}

func etcdSentence(members []provisioner.Member) string {
	var names []string
	for _, m := range members {
		name := strings.TrimPrefix(m.Name, "etcd-")
		if m.State != "voter" {
			name += " (" + m.State + ")"
		}
		names = append(names, name)
	}
	return Plural(len(members), "member") + ": " + strings.Join(names, ", ")
}

func csrSentence(e provisioner.Event) string {
	if e.Decision == state.Approved {
		return "approved " + e.Name + because(e.Node, " of ", "") + because(e.Reason, " (", ")")
	}
	if e.Decision == state.Undecided {
		return e.Name + because(e.Node, " of ", "") + " waits for your decision" + because(e.Reason, ": ", "")
	}
	return "left " + e.Name + because(e.Node, " of ", "") + " to you" + because(e.Reason, ": ", "")
}

// area names what an event is about, in at most nine cells.
func area(e provisioner.Event) string {
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

// eventStatus is how good the news is; most news is neither.
func eventStatus(e provisioner.Event) Status {
	switch {
	case e.Text == provisioner.Stopped:
		return Warn
	case e.State == provisioner.Failed && (e.Type == provisioner.TypeStep || e.Type == provisioner.TypeStage), e.Result == "failed":
		return Failed
	case e.Type == provisioner.TypeCSR && e.Decision != state.Approved, e.Result == "interrupted":
		return Warn
	case e.Type == provisioner.TypeNode:
		return nodeStatus(provisioner.NodeView{State: e.State})
	case e.Type == provisioner.TypeOperator:
		return operatorStatus(e)
	case e.Type == provisioner.TypeApplication:
		return applicationStatus(e)
	case e.Type == provisioner.TypeVersion:
		return versionStatus(e)
	case e.Type == provisioner.TypeDiagnosis && e.State == provisioner.Present,
		e.Type == provisioner.TypeGathered && e.State == provisioner.Failed:
		return Warn
	case e.State == provisioner.Done, e.Result == "ok", e.Type == provisioner.TypeBootstrap:
		return OK
	}
	return Waiting
}
