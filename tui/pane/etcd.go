package pane

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"exoshift/provisioner"
)

// Etcd shows the members of etcd and how their number went: up by one with each master, and down by one when the
// bootstrap member leaves.
type Etcd struct {
	Theme   Theme
	Members []provisioner.Member
	Held    string // why the bootstrap member is still there; "" if it is not, or nobody knows
	Trail   []int
	Times   []time.Time // since when each number of the trail
	Masters int         // masters that are expected; 0 means three
}

// View draws the way, the members, what comes next, and the history where there is room.
func (p Etcd) View(width, height int) string {
	t := p.Theme
	if len(p.Trail) == 0 {
		return Fill([]string{t.Dim.Render("no member seen yet"), t.Dim.Render("expected: ") + p.trail()}, width, height)
	}
	lines := []string{p.trail() + "   " + p.goal()}
	for _, member := range p.Members {
		lines = append(lines, p.row(member))
	}
	lines = append(lines, wrapIn(t.Dim, p.meaning(), "", width)...)
	if room := height - len(lines) - 2; room > 0 && len(p.Times) > 1 {
		lines = append(lines, "")
		lines = append(lines, p.history(room)...)
	}
	return Fill(lines, width, height)
}

func (p Etcd) row(member provisioner.Member) string {
	t, status := p.Theme, memberStatus(member)
	line := t.Mark(status) + " " + Fit(member.Name, 16) + " " + t.Style(status).Render(Fit(member.State, 12))
	if member.Revision > 0 {
		line += t.Dim.Render(fmt.Sprintf(" revision %d", member.Revision))
	}
	return line
}

// history tells when the number of members changed and how long it had been the same, in at most room lines.
func (p Etcd) history(room int) []string {
	var lines []string
	for i, at := range p.Times {
		line := p.Theme.Dim.Render(at.Format("15:04:05")) + "  " + Plural(p.Trail[i], "member")
		if i > 0 {
			line += p.Theme.Dim.Render("  after " + Short(at.Sub(p.Times[i-1])))
		}
		lines = append(lines, line)
	}
	return lines[max(0, len(lines)-room):]
}

// Summary returns the members in one line.
func (p Etcd) Summary() string {
	if len(p.Trail) == 0 {
		return p.Theme.Dim.Render("no member seen yet, expected ") + p.trail()
	}
	parts := []string{p.trail()}
	members := slices.Clone(p.Members)
	slices.SortStableFunc(members, func(a, b provisioner.Member) int {
		return cmp.Compare(memberStatus(a).urgency(), memberStatus(b).urgency())
	})
	for _, member := range members {
		status := memberStatus(member)
		part := p.Theme.Mark(status) + " " + strings.TrimPrefix(member.Name, "etcd-")
		if status != OK {
			part += " " + p.Theme.Style(status).Render(member.State)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "  ")
}

func memberStatus(m provisioner.Member) Status {
	switch m.State {
	case "voter":
		return OK
	case "learner":
		return Running
	case "unhealthy":
		return Warn
	}
	return Waiting
}

func (p Etcd) masters() int {
	if p.Masters > 0 {
		return p.Masters
	}
	return 3
}

// expected is the usual way: 1 2 3 4 3.
func (p Etcd) expected() []int {
	var way []int
	for n := range p.masters() + 1 {
		way = append(way, n+1)
	}
	return append(way, p.masters())
}

// trail draws the way so far with the present in brackets and, if it is the usual way, what is still to come.
func (p Etcd) trail() string {
	t, way, seen := p.Theme, p.Trail, len(p.Trail)
	if expected := p.expected(); seen <= len(expected) && slices.Equal(way, expected[:seen]) {
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

func (p Etcd) goal() string {
	n, peak := len(p.Members), p.masters()+1
	if p.left() {
		return fmt.Sprintf("%s, as it should be", Plural(n, "member"))
	}
	return fmt.Sprintf("members %d of %d, then %d", n, peak, p.masters())
}

// left tells whether the bootstrap member came and went.
func (p Etcd) left() bool {
	return len(p.Members) == p.masters() && slices.Contains(p.Trail, p.masters()+1)
}

// meaning says what comes next, or why it does not.
func (p Etcd) meaning() string {
	switch {
	case p.left():
		return "the bootstrap member has left"
	case p.Held != "":
		return "the bootstrap member stays: " + p.Held
	case len(p.Members) > p.masters():
		return "the bootstrap member leaves next, then its machine"
	}
	return "masters join one at a time"
}
