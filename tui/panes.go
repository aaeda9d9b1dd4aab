package tui

import (
	"time"

	"exoshift/state"
	"exoshift/tui/components"
	"exoshift/tui/components/cluster"
	"exoshift/tui/components/run"
)

func (d *dashboard) buildSelected() components.View {
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

func (d *dashboard) buildRunStatus() run.Status {
	return run.Status{
		Theme: d.theme, Board: d.board, Now: d.now(), Resume: d.options.ResumeCommand,
		Stopping: d.stopping, Ended: d.ended,
	}
}

// buildAction also keeps the action of a failed step where the failure is in a narrow box.
func (d *dashboard) buildAction() run.Action {
	return run.Action{Theme: d.theme, Board: d.board, Failed: d.width >= mediumWidth}
}

func (d *dashboard) buildSteps() run.Steps {
	return run.Steps{Theme: d.theme, Steps: d.board.Steps, Now: d.now(), Offset: d.offsets[stepsTab]}
}

func (d *dashboard) buildBootstrap() cluster.Bootstrap {
	return cluster.Bootstrap{Theme: d.theme, Board: d.board, Now: d.now()}
}

func (d *dashboard) buildEtcd() cluster.Etcd {
	masters := 0
	for _, machine := range d.options.Nodes {
		if machine.Role == state.RoleMaster {
			masters++
		}
	}
	return cluster.Etcd{
		Theme: d.theme, Members: d.board.Etcd, HoldReason: d.board.EtcdHeld, Counts: d.board.EtcdTrail, Times: d.board.EtcdTimes,
		Masters: masters,
	}
}

func (d *dashboard) buildNodes() cluster.Nodes {
	return cluster.Nodes{
		Theme: d.theme, Summary: d.nodes, Now: d.now(), Offset: d.offsets[nodesTab],
		Filter: d.filters[nodesTab], Typing: d.typing && d.tab == nodesTab,
	}
}

func (d *dashboard) buildOperators() cluster.Operators {
	return cluster.Operators{
		Theme: d.theme, Version: d.board.Version, Operators: d.board.Operators, Now: d.now(), Offset: d.offsets[operatorsTab],
		Filter: d.filters[operatorsTab], Typing: d.typing && d.tab == operatorsTab,
	}
}

func (d *dashboard) buildApplications() cluster.Applications {
	return cluster.Applications{
		Theme: d.theme, Applications: d.board.Applications, Now: d.now(), Offset: d.offsets[synTab],
		Filter: d.filters[synTab], Typing: d.typing && d.tab == synTab,
	}
}

func (d *dashboard) buildCloud() run.Cloud {
	return run.Cloud{Theme: d.theme, Objects: d.board.Objects, Offset: d.offsets[cloudTab]}
}

func (d *dashboard) buildLog() run.Log {
	if d.journal {
		return d.buildJournal()
	}
	return d.buildEvents()
}

func (d *dashboard) buildEvents() run.Log {
	return run.Log{
		Theme: d.theme, Events: d.board.Log, Title: d.findStepTitle, Until: d.logEnd,
		Filter: d.filters[logTab], Typing: d.typing && d.tab == logTab && !d.journal,
	}
}

func (d *dashboard) buildJournal() run.Log {
	return run.Log{
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
		return run.Failure{
			Theme: d.theme, Board: d.board, Now: d.now(), Resume: d.options.ResumeCommand, Offset: d.offsets[overviewTab],
		}
	}
	diagnosis := d.buildDiagnosis()
	diagnosis.Offset = d.offsets[overviewTab]
	return diagnosis
}

func (d *dashboard) buildDiagnosis() run.Diagnosis {
	return run.Diagnosis{Theme: d.theme, Findings: d.board.Findings, Now: d.now()}
}

// buildOverview omits the diagnosis where a notice shows it.
func (d *dashboard) buildOverview(noticed bool) run.Overview {
	diagnosis := d.buildDiagnosis()
	if noticed {
		diagnosis.Findings = nil
	}
	return run.Overview{
		Theme: d.theme, Diagnosis: diagnosis, Bootstrap: d.buildBootstrap(), Certificates: d.buildCertificates(),
		Access: cluster.Access{Theme: d.theme, Board: d.board}, Etcd: d.buildEtcd(), Nodes: d.buildNodes(), Operators: d.buildOperators(),
		Applications: d.buildApplications(), Cloud: d.buildCloud(),
	}
}

// isBootstrapped reports whether the cluster no longer needs the bootstrap machine.
func (d *dashboard) isBootstrapped() bool { return d.board.HasReached(state.PhaseMemberRemoved) }

// The certificates matter until the cluster is bootstrapped: from then on it renews them.
func (d *dashboard) buildCertificates() cluster.Certificates {
	p := cluster.Certificates{Theme: d.theme, Until: d.board.Expiry, Now: d.options.Wall()}
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
