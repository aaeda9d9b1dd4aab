package tui

import (
	"time"

	"exoshift/state"
	"exoshift/tui/pane"
)

func (d *dashboard) buildSelected() pane.View {
	switch d.tab {
	case stepsTab:
		return d.buildSteps()
	case bootstrapTab:
		return d.buildBootstrap()
	case etcdTab:
		return d.buildEtcd()
	case nodesTab:
		return d.buildNodes()
	case operatorsTab:
		return d.buildOperators()
	case cloudTab:
		return d.buildCloud()
	case logTab:
		return d.buildLog()
	case synTab:
		return d.buildApplications()
	}
	return d.buildOverview(false)
}

func (d *dashboard) buildRunStatus() pane.RunStatus {
	return pane.RunStatus{
		Theme: d.theme, Board: d.board, Now: d.now(), Resume: d.options.ResumeCommand,
		Stopping: d.stopping, Ended: d.ended,
	}
}

// buildAction also keeps the action of a failed step where the failure is in a narrow box.
func (d *dashboard) buildAction() pane.Action {
	return pane.Action{Theme: d.theme, Board: d.board, Failed: d.width >= mediumWidth}
}

func (d *dashboard) buildSteps() pane.Steps {
	return pane.Steps{Theme: d.theme, Steps: d.board.Steps, Now: d.now(), Offset: d.offsets[stepsTab]}
}

func (d *dashboard) buildBootstrap() pane.Bootstrap {
	return pane.Bootstrap{Theme: d.theme, Board: d.board, Now: d.now()}
}

func (d *dashboard) buildEtcd() pane.Etcd {
	masters := 0
	for _, machine := range d.options.Nodes {
		if machine.Role == state.RoleMaster {
			masters++
		}
	}
	return pane.Etcd{
		Theme: d.theme, Members: d.board.Etcd, HoldReason: d.board.EtcdHeld, Counts: d.board.EtcdTrail, Times: d.board.EtcdTimes,
		Masters: masters,
	}
}

func (d *dashboard) buildNodes() pane.Nodes {
	return pane.Nodes{
		Theme: d.theme, Summary: d.nodes, Now: d.now(), Offset: d.offsets[nodesTab],
		Filter: d.filters[nodesTab], Typing: d.typing && d.tab == nodesTab,
	}
}

func (d *dashboard) buildOperators() pane.Operators {
	return pane.Operators{
		Theme: d.theme, Version: d.board.Version, Operators: d.board.Operators, Now: d.now(), Offset: d.offsets[operatorsTab],
		Filter: d.filters[operatorsTab], Typing: d.typing && d.tab == operatorsTab,
	}
}

func (d *dashboard) buildApplications() pane.Applications {
	return pane.Applications{
		Theme: d.theme, Applications: d.board.Applications, Now: d.now(), Offset: d.offsets[synTab],
		Filter: d.filters[synTab], Typing: d.typing && d.tab == synTab,
	}
}

func (d *dashboard) buildCloud() pane.Cloud {
	return pane.Cloud{Theme: d.theme, Objects: d.board.Objects, Offset: d.offsets[cloudTab]}
}

func (d *dashboard) buildLog() pane.Log {
	if d.journal {
		return d.buildJournal()
	}
	return d.buildEvents()
}

func (d *dashboard) buildEvents() pane.Log {
	return pane.Log{
		Theme: d.theme, Events: d.board.Log, Title: d.findStepTitle, Until: d.logEnd,
		Filter: d.filters[logTab], Typing: d.typing && d.tab == logTab && !d.journal,
	}
}

func (d *dashboard) buildJournal() pane.Log {
	return pane.Log{
		Theme: d.theme, Events: d.board.Journal, Until: d.journalEnd, Empty: "no line yet",
		Filter: d.filters[logTab], Typing: d.typing && d.tab == logTab && d.journal,
	}
}

func (d *dashboard) formatLogTitle() string {
	if d.journal {
		return "journal of the bootstrap machine"
	}
	return "events"
}

func (d *dashboard) findStepTitle(id string) string {
	for i := range d.board.Steps {
		if d.board.Steps[i].ID == id {
			return d.board.Steps[i].Title
		}
	}
	return id
}

// buildFailure explains the failure or, before there is one, the diagnosis.
func (d *dashboard) buildFailure() scrollable {
	if len(d.buildRunStatus().ListFailed()) > 0 {
		return pane.Failure{
			Theme: d.theme, Board: d.board, Now: d.now(), Resume: d.options.ResumeCommand, Offset: d.offsets[overviewTab],
		}
	}
	diagnosis := d.buildDiagnosis()
	diagnosis.Offset = d.offsets[overviewTab]
	return diagnosis
}

func (d *dashboard) buildDiagnosis() pane.Diagnosis {
	return pane.Diagnosis{Theme: d.theme, Findings: d.board.Findings, Now: d.now()}
}

// buildOverview omits the diagnosis where a notice shows it.
func (d *dashboard) buildOverview(noticed bool) pane.Overview {
	diagnosis := d.buildDiagnosis()
	if noticed {
		diagnosis.Findings = nil
	}
	return pane.Overview{
		Theme: d.theme, Diagnosis: diagnosis, Bootstrap: d.buildBootstrap(), Certificates: d.buildCertificates(),
		Access: pane.Access{Theme: d.theme, Board: d.board}, Etcd: d.buildEtcd(), Nodes: d.buildNodes(), Operators: d.buildOperators(),
		Applications: d.buildApplications(), Cloud: d.buildCloud(),
	}
}

// isBootstrapped reports whether the cluster no longer needs the bootstrap machine.
func (d *dashboard) isBootstrapped() bool { return d.board.HasReached(state.PhaseMemberRemoved) }

// The certificates matter until the cluster is bootstrapped: from then on it renews them.
func (d *dashboard) buildCertificates() pane.Certificates {
	p := pane.Certificates{Theme: d.theme, Until: d.board.Expiry, Now: d.options.Wall()}
	if d.ended || d.isBootstrapped() {
		p.Until = time.Time{}
	}
	return p
}

func (d *dashboard) buildLeaveView() leaveView {
	goesOn := ""
	switch {
	case d.isBootstrapped():
		goesOn = "The cluster goes on"
	case len(d.board.Bootstrap) > 0:
		goesOn = "The cluster's own bootstrap goes on"
	}
	return leaveView{
		theme: d.theme, stop: d.menu.stop, resources: d.buildCloud().FormatRemaining(), continuing: goesOn, resume: d.options.ResumeCommand,
	}
}
