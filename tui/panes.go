package tui

import (
	"time"

	"exoshift/state"
	"exoshift/tui/pane"
)

// chosen returns the pane of the chosen tab.
func (d *dashboard) chosen(r Rect) pane.View {
	switch d.tab {
	case stepsTab:
		return d.steps()
	case bootstrapTab:
		return controlPlane{d.bootstrap(), d.etcd(), r.W >= mediumWidth-4}
	case nodesTab:
		return d.nodes()
	case cloudTab:
		return d.cloud()
	case logTab:
		return d.log()
	}
	return d.overview()
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
	return pane.Etcd{Theme: d.theme, Members: d.board.Etcd, Trail: d.board.EtcdTrail, Masters: masters}
}

func (d *dashboard) nodes() pane.Nodes {
	return pane.Nodes{
		Theme: d.theme, Nodes: d.board.Nodes, CSRs: d.board.CSRs, Expected: d.options.Nodes, Now: d.now(),
		Offset: d.offsets[nodesTab],
	}
}

func (d *dashboard) cloud() pane.Cloud {
	return pane.Cloud{Theme: d.theme, Objects: d.board.Objects, Offset: d.offsets[cloudTab]}
}

func (d *dashboard) log() pane.Log {
	return pane.Log{Theme: d.theme, Events: d.board.Log, Title: d.stepTitle, Until: d.until}
}

func (d *dashboard) stepTitle(id string) string {
	for _, step := range d.board.Steps {
		if step.ID == id {
			return step.Title
		}
	}
	return id
}

func (d *dashboard) failure() pane.Failure {
	return pane.Failure{
		Theme: d.theme, Board: d.board, Resume: d.options.ResumeCommand, Offset: d.offsets[overviewTab],
	}
}

func (d *dashboard) overview() pane.Overview {
	return pane.Overview{
		Theme: d.theme, Bootstrap: d.bootstrap(), Certificates: d.certificates(), Etcd: d.etcd(), Nodes: d.nodes(), Cloud: d.cloud(),
	}
}

// certificates matter until the cluster stands on its own, which renews them.
func (d *dashboard) certificates() pane.Certificates {
	p := pane.Certificates{Theme: d.theme, Until: d.board.Expiry, Now: d.options.Wall()}
	if d.ended || len(d.board.Bootstrap) >= len(state.Phases()) {
		p.Until = time.Time{}
	}
	return p
}

func (d *dashboard) leaveView() leaveView {
	goesOn := ""
	switch reached := len(d.board.Bootstrap); {
	case reached >= len(state.Phases()):
		goesOn = "The cluster goes on"
	case reached > 0:
		goesOn = "The cluster's own bootstrap goes on"
	}
	return leaveView{
		theme: d.theme, stop: d.menu.stop, stays: d.cloud().Stay(), goesOn: goesOn, resume: d.options.ResumeCommand,
	}
}
