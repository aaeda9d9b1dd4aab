package nodes

import (
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
)

// question is what a person is asked about pods that cannot be evicted: to give the removal up, or to wait longer. The observer guards it.
type question struct {
	attended func() bool // somebody can be asked; nil: nobody
	rule     string      // of the finding that was asked about; "": none
	reply    provisioner.Reply
	decided  bool // the reply was emitted
}

// follow asks about what holds pods, once, and withdraws what does not hold any more.
func (q *question) follow(findings []diagnosis.Finding, holds bool) (events []provisioner.Event) {
	present := false
	for _, finding := range findings {
		present = present || finding.Rule == q.rule
		if q.rule == "" && holds && q.attended != nil && q.attended() {
			q.rule, present = finding.Rule, true
			events = append(events, provisioner.Event{
				Type: provisioner.TypeDecision, Name: finding.Rule, State: provisioner.Asked, Decision: string(provisioner.ReplyStop), Evidence: finding.Evidence, Hint: finding.Fix,
				Text: finding.Cause + " Give the removal up? What was cordoned for it is in use again then. Without an answer, the eviction is asked for again until --timeout.",
			})
		}
	}
	switch {
	case q.rule == "":
	case !present:
		if q.reply == "" {
			events = append(events, provisioner.Event{Type: provisioner.TypeDecision, Name: q.rule, State: provisioner.Gone, Text: "no decision needed any more: the pods can be evicted"})
		}
		*q = question{attended: q.attended}
	case q.reply != "" && !q.decided:
		q.decided = true
		text := "the removal is given up"
		if q.reply != provisioner.ReplyStop {
			text = "the eviction is asked for again, without a time limit"
		}
		events = append(events, provisioner.Event{Type: provisioner.TypeDecision, Name: q.rule, State: provisioner.Decided, Decision: string(q.reply), Text: text, Reason: "a person decided"})
	}
	return events
}

// getReply returns what a person decided about the drain of a node that is held up; "": nothing.
func (o *observer) getReply(node string) provisioner.Reply {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.obstacles[node].held) == 0 {
		return ""
	}
	return o.question.reply
}
