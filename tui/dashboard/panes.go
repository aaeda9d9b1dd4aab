package dashboard

import (
	"time"

	"exoshift/tui/components"
	"exoshift/tui/components/cluster"
	"exoshift/tui/components/run"
	"exoshift/tui/theme"
)

// panes builds the panes of one frame from the state of the run.
type panes struct {
	theme    theme.Theme
	run      *runState
	nav      navigation
	now      time.Time // of the run
	wall     time.Time
	resume   string
	approves bool // new keys of machines can be approved here
	isLarge  bool // a failure is in a narrow box, and its action is shown on its own
}

func (p panes) buildTab(t tab) components.View {
	switch t {
	case stepsTab:
		return p.buildSteps()
	case bootstrapTab:
		if p.nav.day2 {
			return p.buildDay2()
		}
		return p.buildBootstrap()
	case etcdTab:
		return p.buildEtcd()
	case nodesTab:
		return p.buildNodes()
	case operatorsTab:
		return p.buildOperators()
	case cloudTab:
		return p.buildCloud()
	case logTab:
		return p.buildLog()
	case synTab:
		return p.buildApplications()
	}
	return p.buildOverview(false)
}

func (p panes) buildStatus() run.Status {
	return run.Status{
		Theme: p.theme, Board: p.run.board, Now: p.now, Resume: p.resume, Stopping: p.run.stopping, Ended: p.run.ended,
	}
}

func (p panes) hasFailed() bool { return len(p.buildStatus().ListFailed()) > 0 }

func (p panes) buildStrip() components.View {
	return components.Margin{Content: run.Strip{Theme: p.theme, Steps: p.run.board.Steps}}
}

// buildAction also keeps the action of a failed step where the failure is in a narrow box.
func (p panes) buildAction() run.Action {
	action := run.Action{Theme: p.theme, Board: p.run.board, Now: p.now, Failed: p.isLarge}
	if p.approves {
		action.Undecided = p.run.listUndecided()
		if question := p.run.board.Question; question != nil {
			action.Question = question.Text
		}
	}
	return action
}

func (p panes) buildSteps() run.Steps {
	return run.Steps{Theme: p.theme, Steps: p.run.board.Steps, Now: p.now, Offset: p.nav.offsets[stepsTab]}
}

func (p panes) buildBootstrap() cluster.Bootstrap {
	return cluster.Bootstrap{Theme: p.theme, Board: p.run.board, Now: p.now}
}

func (p panes) buildDay2() cluster.Day2 {
	return cluster.Day2{Theme: p.theme, Board: p.run.board, Now: p.now, Offset: p.nav.offsets[day2Tab]}
}

func (p panes) buildEtcd() cluster.Etcd {
	board := p.run.board
	return cluster.Etcd{
		Theme: p.theme, Members: board.Etcd, HoldReason: board.EtcdHeld, Counts: board.EtcdTrail, Times: board.EtcdTimes,
		Masters: p.run.countMasters(), Installed: p.nav.day2,
	}
}

func (p panes) buildNodes() cluster.Nodes {
	return cluster.Nodes{
		Theme: p.theme, Summary: p.run.nodes, Now: p.now, Offset: p.nav.offsets[nodesTab],
		Filter: p.nav.filters[nodesTab].Word(), Typing: p.nav.isTypingIn(nodesTab), Installed: p.nav.day2,
	}
}

func (p panes) buildOperators() cluster.Operators {
	return cluster.Operators{
		Theme: p.theme, Version: p.run.board.Version, Operators: p.run.board.Operators, Now: p.now, Offset: p.nav.offsets[operatorsTab],
		Filter: p.nav.filters[operatorsTab].Word(), Typing: p.nav.isTypingIn(operatorsTab),
	}
}

func (p panes) buildApplications() cluster.Applications {
	return cluster.Applications{
		Theme: p.theme, Applications: p.run.board.Applications, Now: p.now, Offset: p.nav.offsets[synTab],
		Filter: p.nav.filters[synTab].Word(), Typing: p.nav.isTypingIn(synTab),
	}
}

func (p panes) buildCloud() run.Cloud {
	return run.Cloud{Theme: p.theme, Objects: p.run.board.Objects, Offset: p.nav.offsets[cloudTab], Installed: p.nav.day2}
}

func (p panes) buildLog() run.Log {
	if p.nav.journal {
		return p.buildJournal()
	}
	return p.buildEvents()
}

func (p panes) buildEvents() run.Log {
	return run.Log{
		Theme: p.theme, Events: p.run.board.Log, Title: p.run.findStepTitle, Until: p.nav.logEnd,
		Filter: p.nav.filters[logTab].Word(), Typing: p.nav.isTypingIn(logTab) && !p.nav.journal,
	}
}

const journalTitle = "journal of the bootstrap machine"

func (p panes) buildJournal() run.Log {
	return run.Log{
		Theme: p.theme, Events: p.run.board.Journal, Until: p.nav.journalEnd, Empty: "no lines yet",
		Filter: p.nav.filters[logTab].Word(), Typing: p.nav.isTypingIn(logTab) && p.nav.journal,
	}
}

// scrollable is a pane that may have more lines than fit.
type scrollable interface {
	components.View
	CountLines(width int) int
}

// buildFailure explains the failure or, before there is one, the diagnosis.
func (p panes) buildFailure() scrollable {
	if p.hasFailed() {
		return run.Failure{Theme: p.theme, Board: p.run.board, Now: p.now, Resume: p.resume, Offset: p.nav.offsets[overviewTab]}
	}
	diagnosis := p.buildDiagnosis()
	diagnosis.Offset = p.nav.offsets[overviewTab]
	return diagnosis
}

func (p panes) buildDiagnosis() run.Diagnosis {
	return run.Diagnosis{Theme: p.theme, Findings: p.run.board.Findings, Now: p.now}
}

func (p panes) buildNotice() run.Notice { return run.Notice{Diagnosis: p.buildDiagnosis()} }

// buildOverview omits the diagnosis where a notice shows it.
func (p panes) buildOverview(noticed bool) run.Overview {
	diagnosis := p.buildDiagnosis()
	if noticed {
		diagnosis.Findings = nil
	}
	return run.Overview{
		Theme: p.theme, Diagnosis: diagnosis, Bootstrap: p.buildBootstrap(), Day2: p.buildDay2(), Certificates: p.buildCertificates(),
		Access: cluster.Access{Theme: p.theme, Board: p.run.board}, Etcd: p.buildEtcd(), Nodes: p.buildNodes(), Operators: p.buildOperators(),
		Applications: p.buildApplications(), Cloud: p.buildCloud(),
	}
}

// The certificates matter until the cluster is bootstrapped: from then on it renews them.
func (p panes) buildCertificates() cluster.Certificates {
	c := cluster.Certificates{Theme: p.theme, Until: p.run.board.Expiry, Now: p.wall}
	if p.run.ended || p.run.isBootstrapped() {
		c.Until = time.Time{}
	}
	return c
}
