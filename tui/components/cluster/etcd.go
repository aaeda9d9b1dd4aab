package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/stable"
	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// Etcd shows the members of etcd and the history of their number: up by one with each master, and down by one when the bootstrap
// member leaves.
type Etcd struct {
	Theme      theme.Theme
	Members    []provisioner.Member
	HoldReason string // why the bootstrap member is still there; "" if it is not, or unknown
	Counts     []int
	Times      []time.Time // start time of each number of members
	Masters    int         // expected masters; 0 means three
	Installed  bool        // the cluster was installed before: there is no bootstrap member
}

// View draws the counts, the members, what comes next, and the history where there is room.
func (p Etcd) View(width, height int) string {
	t := p.Theme
	if len(p.Counts) == 0 {
		return cells.Fill(p.renderUnknown(), width, height)
	}
	lines := []string{p.renderCounts() + "   " + p.formatGoal()}
	for _, member := range p.Members {
		lines = append(lines, p.renderRow(member))
	}
	if next := p.describeNext(); next != "" {
		lines = append(lines, cells.WrapStyled(t.Dim, next, "", width)...)
	}
	if room := height - len(lines) - 2; room > 0 && len(p.Times) > 1 {
		lines = append(lines, "")
		lines = append(lines, p.renderHistory(room)...)
	}
	return cells.Fill(lines, width, height)
}

func (p Etcd) renderUnknown() []string {
	if p.Installed {
		return []string{p.Theme.Dim.Render("waiting for the cluster")}
	}
	return []string{p.Theme.Dim.Render("no members yet"), p.Theme.Dim.Render("expected: ") + p.renderCounts()}
}

func (p Etcd) renderRow(member provisioner.Member) string {
	t, status := p.Theme, mapMemberStatus(member)
	line := t.Mark(status) + " " + cells.Fit(member.Name, 16) + " " + t.Style(status).Render(cells.Fit(member.State, 12))
	if member.Revision > 0 {
		line += t.Dim.Render(fmt.Sprintf(" revision %d", member.Revision))
	}
	return line
}

// renderHistory lists the changes of the number of members and how long each lasted, in at most room lines.
func (p Etcd) renderHistory(room int) []string {
	var lines []string
	for i, at := range p.Times {
		line := p.Theme.Dim.Render(at.Format("15:04:05")) + "  " + text.Plural(p.Counts[i], "member")
		if i > 0 {
			line += p.Theme.Dim.Render("  after " + text.FormatDuration(at.Sub(p.Times[i-1])))
		}
		lines = append(lines, line)
	}
	return lines[max(0, len(lines)-room):]
}

// RenderSummary returns the members in one line.
func (p Etcd) RenderSummary() string {
	if len(p.Counts) == 0 && p.Installed {
		return ""
	}
	if len(p.Counts) == 0 {
		return p.Theme.Dim.Render("no members yet, expected ") + p.renderCounts()
	}
	parts := []string{p.renderCounts()}
	members := slices.Clone(p.Members)
	stable.Sort(members, func(a, b provisioner.Member) int {
		return cmp.Compare(mapMemberStatus(a).Urgency(), mapMemberStatus(b).Urgency())
	})
	for _, member := range members {
		status := mapMemberStatus(member)
		part := p.Theme.Mark(status) + " " + strings.TrimPrefix(member.Name, "etcd-")
		if status != theme.OK {
			part += " " + p.Theme.Style(status).Render(member.State)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "  ")
}

func mapMemberStatus(m provisioner.Member) theme.Status {
	switch m.State {
	case "voter":
		return theme.OK
	case "learner":
		return theme.Running
	case "unhealthy":
		return theme.Warn
	}
	return theme.Waiting
}

func (p Etcd) countMasters() int {
	if p.Masters > 0 {
		return p.Masters
	}
	return 3
}

// With three masters: 1 2 3 4 3.
func (p Etcd) computeExpected() []int {
	var way []int
	for n := range p.countMasters() + 1 {
		way = append(way, n+1)
	}
	return append(way, p.countMasters())
}

// renderCounts draws the counts so far with the present one in brackets and, if they are as expected, those to come.
func (p Etcd) renderCounts() string {
	t, way, seen := p.Theme, p.Counts, len(p.Counts)
	if expected := p.computeExpected(); !p.Installed && seen <= len(expected) && slices.Equal(way, expected[:seen]) {
		way = expected
	}
	way, seen = way[max(len(way)-9, 0):], seen-max(len(way)-9, 0)
	var parts []string
	for i, n := range way {
		number := strconv.Itoa(n)
		switch {
		case i == seen-1:
			parts = append(parts, t.Bold.Render("["+number+"]"))
		case i < seen:
			parts = append(parts, t.Good.Render(number))
		default:
			parts = append(parts, t.Dim.Render(number))
		}
	}
	return strings.Join(parts, t.Dim.Render(t.Arrow))
}

func (p Etcd) formatGoal() string {
	n, peak := len(p.Members), p.countMasters()+1
	if p.Installed {
		return p.formatQuorum()
	}
	if p.isBootstrapRemoved() {
		return fmt.Sprintf("%s, ok", text.Plural(n, "member"))
	}
	return fmt.Sprintf("members %d of %d, then %d", n, peak, p.countMasters())
}

// formatQuorum says how many of the members vote, and how many votes are needed.
func (p Etcd) formatQuorum() string {
	voters, needed := 0, len(p.Members)/2+1
	for _, member := range p.Members {
		if mapMemberStatus(member) == theme.OK {
			voters++
		}
	}
	line := fmt.Sprintf("%s, quorum %d", text.Plural(voters, "voter"), needed)
	if voters < needed {
		return p.Theme.Bad.Render(line)
	}
	return line
}

func (p Etcd) isBootstrapRemoved() bool {
	return len(p.Members) == p.countMasters() && slices.Contains(p.Counts, p.countMasters()+1)
}

// describeNext names the next change, or why it is delayed.
func (p Etcd) describeNext() string {
	switch {
	case p.Installed:
		return ""
	case p.isBootstrapRemoved():
		return "bootstrap member removed"
	case p.HoldReason != "":
		return "bootstrap member kept: " + p.HoldReason
	case len(p.Members) > p.countMasters():
		return "next: remove the bootstrap member, then its machine"
	}
	return "masters join one at a time"
}
