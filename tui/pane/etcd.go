package pane

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"exoshift/provisioner"
)

// Etcd shows the members of etcd and how their number went: up by one with each master, and down by one when the
// bootstrap member leaves.
type Etcd struct {
	Theme   Theme
	Members []provisioner.Member
	Trail   []int
	Masters int // masters that are expected; 0 means three
}

// View draws the members.
func (p Etcd) View(width, height int) string {
	t := p.Theme
	if len(p.Trail) == 0 {
		return Fill([]string{t.Dim.Render("no member seen yet"), t.Dim.Render("expected: ") + p.trail()}, width, height)
	}
	lines := []string{p.trail() + "   " + p.goal()}
	for _, member := range p.Members {
		status := memberStatus(member)
		lines = append(lines, t.Mark(status)+" "+Fit(member.Name, 16)+" "+t.Style(status).Render(member.State))
	}
	lines = append(lines, Wrap(p.meaning(), "", width)...)
	return Fill(lines, width, height)
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

func (p Etcd) meaning() string {
	style := p.Theme.Dim
	switch {
	case p.left():
		return style.Render("the bootstrap member has left")
	case len(p.Members) > p.masters():
		return style.Render("the bootstrap member leaves next, then its machine")
	}
	return style.Render("masters join one at a time")
}
