package tui

import (
	"time"

	"exoshift/state"
	"exoshift/tui/pane"
)

// chosen returns the pane of the chosen tab.
func (d *dashboard) chosen() pane.View {
	switch d.tab {
	case stepsTab:
		return d.steps()
	case bootstrapTab:
		return d.bootstrap()
	case etcdTab:
		return d.etcd()
	case nodesTab:
		return d.nodes()
	case operatorsTab:
		return d.operators()
	case cloudTab:
		return d.cloud()
	case logTab:
		return d.log()
	case synTab:
		return d.applications()
	}
	return d.overview(false)
}

func (d *dashboard) present() pane.Present {
	return pane.Present{
		Theme: d.theme, Board: d.board, Now: d.now(), Resume: d.options.ResumeCommand,
		Stopping: d.stopping, Ended: d.ended,
	}
}

// errand is also kept after a failure where the explanation is in a narrow box.
func (d *dashboard) errand() pane.Errand {
	return pane.Errand{Theme: d.theme, Board: d.board, Failed: d.width >= mediumWidth}
}

func (d *dashboard) steps() pane.Steps {
	return pane.Steps{Theme: d.theme, Steps: d.board.Steps, Now: d.now(), Offset: d.offsets[stepsTab]}
}

func (d *dashboard) bootstrap() pane.Bootstrap {
	return pane.Bootstrap{Theme: d.theme, Board: d.board, Now: d.now()}
}

func (d *dashboard) etcd() pane.Etcd {
	masters := 0
	for _, machine := range d.options.Nodes {
		if machine.Role == state.RoleMaster {
			masters++
		}
	}
	return pane.Etcd{
		Theme: d.theme, Members: d.board.Etcd, Held: d.board.EtcdHeld, Trail: d.board.EtcdTrail, Times: d.board.EtcdTimes,
		Masters: masters,
	}
}

func (d *dashboard) nodes() pane.Nodes {
	return pane.Nodes{
		Theme: d.theme, Census: d.census, Now: d.now(), Offset: d.offsets[nodesTab],
		Filter: d.filters[nodesTab], Typing: d.typing && d.tab == nodesTab,
	}
}

func (d *dashboard) operators() pane.Operators {
	return pane.Operators{
		Theme: d.theme, Version: d.board.Version, Operators: d.board.Operators, Now: d.now(), Offset: d.offsets[operatorsTab],
		Filter: d.filters[operatorsTab], Typing: d.typing && d.tab == operatorsTab,
	}
}

func (d *dashboard) applications() pane.Applications {
	return pane.Applications{
		Theme: d.theme, Applications: d.board.Applications, Now: d.now(), Offset: d.offsets[synTab],
		Filter: d.filters[synTab], Typing: d.typing && d.tab == synTab,
	}
}

func (d *dashboard) cloud() pane.Cloud {
	return pane.Cloud{Theme: d.theme, Objects: d.board.Objects, Offset: d.offsets[cloudTab]}
}

// log is what the log pane shows: events, or the journal where that was chosen.
func (d *dashboard) log() pane.Log {
	if d.journal {
		return d.journalLog()
	}
	return d.events()
}

func (d *dashboard) events() pane.Log {
	return pane.Log{
		Theme: d.theme, Events: d.board.Log, Title: d.stepTitle, Until: d.until,
		Filter: d.filters[logTab], Typing: d.typing && d.tab == logTab && !d.journal,
	}
}

// journalLog shows the journal of the bootstrap machine.
func (d *dashboard) journalLog() pane.Log {
	return pane.Log{
		Theme: d.theme, Events: d.board.Journal, Until: d.journalUntil, Empty: "no line yet",
		Filter: d.filters[logTab], Typing: d.typing && d.tab == logTab && d.journal,
	}
}

// logTitle names what the log pane shows.
func (d *dashboard) logTitle() string {
	if d.journal {
		return "journal of the bootstrap machine"
	}
	return "events"
}

func (d *dashboard) stepTitle(id string) string {
	for i := range d.board.Steps {
		if d.board.Steps[i].ID == id {
			return d.board.Steps[i].Title
		}
	}
	return id
}

// trouble explains the failure or, before there is one, what is known to be wrong.
func (d *dashboard) trouble() scrollable {
	if len(d.present().Failed()) > 0 {
		return pane.Failure{
			Theme: d.theme, Board: d.board, Now: d.now(), Resume: d.options.ResumeCommand, Offset: d.offsets[overviewTab],
		}
	}
	diagnosis := d.diagnosis()
	diagnosis.Offset = d.offsets[overviewTab]
	return diagnosis
}

func (d *dashboard) diagnosis() pane.Diagnosis {
	return pane.Diagnosis{Theme: d.theme, Findings: d.board.Findings, Now: d.now()}
}

// overview leaves out what is wrong where a notice tells it.
func (d *dashboard) overview(noticed bool) pane.Overview {
	diagnosis := d.diagnosis()
	if noticed {
		diagnosis.Findings = nil
	}
	return pane.Overview{
		Theme: d.theme, Diagnosis: diagnosis, Bootstrap: d.bootstrap(), Certificates: d.certificates(),
		Reach: pane.Reach{Theme: d.theme, Board: d.board}, Etcd: d.etcd(), Nodes: d.nodes(), Operators: d.operators(),
		Applications: d.applications(), Cloud: d.cloud(),
	}
}

// standing tells whether the cluster stands on its own: the bootstrap machine may go.
func (d *dashboard) standing() bool { return d.board.Reached(state.PhaseMemberRemoved) }

// certificates matter until the cluster stands on its own, which renews them.
func (d *dashboard) certificates() pane.Certificates {
	p := pane.Certificates{Theme: d.theme, Until: d.board.Expiry, Now: d.options.Wall()}
	if d.ended || d.standing() {
		p.Until = time.Time{}
	}
	return p
}

func (d *dashboard) leaveView() leaveView {
	goesOn := ""
	switch {
	case d.standing():
		goesOn = "The cluster goes on"
	case len(d.board.Bootstrap) > 0:
		goesOn = "The cluster's own bootstrap goes on"
	}
	return leaveView{
		theme: d.theme, stop: d.menu.stop, stays: d.cloud().Stay(), goesOn: goesOn, resume: d.options.ResumeCommand,
	}
}
