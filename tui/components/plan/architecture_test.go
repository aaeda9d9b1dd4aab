package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"exoshift/state"
	"exoshift/tui/theme"
	"exoshift/tui/tuitest"
)

// demo is the default cluster with Project Syn and an additional group.
func demo() state.Spec {
	spec := state.Default()
	spec.Cluster.ID, spec.Cluster.BaseDomain, spec.Exoscale.Zone = "c-demo-1", "example.net", "ch-gva-2"
	spec.OpenShift.Version = "4.20.5"
	spec.Syn.LieutenantURL, spec.Syn.Tenant = "https://lieutenant.example.net", "t-demo"
	spec.Sizing.ExtraGroups = []state.GroupSpec{{
		Name: "gpu", MachineSpec: state.MachineSpec{Type: "gpua30.medium", Count: 2, RootDisk: 200},
	}}
	return spec
}

func TestArchitecture_Golden(t *testing.T) {
	for _, size := range [][2]int{{36, 12}, {44, 24}, {60, 30}, {78, 40}, {100, 40}} {
		tuitest.Golden(t, fmt.Sprintf("architecture-%dx%d", size[0], size[1]), Architecture{Theme: tuitest.NewTheme(false), Spec: demo()}.View(size[0], size[1]))
	}
	tuitest.Golden(t, "architecture-78x40-ascii", Architecture{Theme: tuitest.NewTheme(true), Spec: demo()}.View(78, 40))
	spread := demo()
	spread.LoadBalancer.Strategy = "dns-round-robin"
	tuitest.Golden(t, "architecture-78x40-round-robin", Architecture{Theme: tuitest.NewTheme(false), Spec: spread}.View(78, 40))
}

func TestArchitecture_FollowsAnswers(t *testing.T) {
	var answered []string
	p := Architecture{Theme: tuitest.NewTheme(false), Spec: demo(), Answered: func(screen string) bool { return slices.Contains(answered, screen) }}
	if view := p.View(78, 40); !strings.Contains(view, "appears here") || strings.Contains(view, "c-demo-1") {
		t.Errorf("before the first answer:\n%s", view)
	}
	for _, step := range []struct{ screen, shows string }{
		{"access", "zone ch-gva-2"}, {"cluster", "DNS zone c-demo-1.example.net"}, {"nodes", "3 × master"},
		{"network", "2 × load balancer"}, {"syn", "lieutenant.example.net"},
	} {
		if strings.Contains(p.View(78, 40), step.shows) {
			t.Errorf("%q is shown before %s is answered", step.shows, step.screen)
		}
		if answered = append(answered, step.screen); !strings.Contains(p.View(78, 40), step.shows) {
			t.Errorf("%q is not shown after %s:\n%s", step.shows, step.screen, p.View(78, 40))
		}
	}
}

func TestArchitecture_ShowsExistingOnly(t *testing.T) {
	spec := demo()
	spec.LoadBalancer.Strategy, spec.Sizing.Infra.Count = "dns-round-robin", 0
	for _, size := range [][2]int{{78, 40}, {40, 14}} {
		view := Architecture{Theme: tuitest.NewTheme(false), Spec: spec}.View(size[0], size[1])
		for _, absent := range []string{"elastic IP", "load balancer", "infra"} {
			if strings.Contains(view, absent) {
				t.Errorf("%s, which there is not:\n%s", absent, view)
			}
		}
		if !strings.Contains(view, "routers and") {
			t.Errorf("nobody carries the routers:\n%s", view)
		}
	}
}

func TestArchitecture_FitsAnySize(t *testing.T) {
	hostile := demo()
	hostile.Cluster.ID, hostile.Exoscale.Zone = strings.Repeat("界", 60), "\x1b[2J\n"
	hostile.Sizing.ControlPlane.Type, hostile.Sizing.Workers.Count = strings.Repeat("x", 200), 0
	for i := range 40 {
		hostile.Sizing.ExtraGroups = append(hostile.Sizing.ExtraGroups, state.GroupSpec{
			Name: fmt.Sprint("group-\x07", i), MachineSpec: state.MachineSpec{Type: "t", Count: 1000},
		})
	}
	for _, spec := range []state.Spec{{}, state.Default(), demo(), hostile} {
		for _, styles := range []theme.Theme{tuitest.NewTheme(false), tuitest.NewTheme(true)} {
			for width := 0; width < 120; width += 7 {
				for height := 0; height < 60; height += 9 {
					tuitest.CheckExact(t, Architecture{Theme: styles, Spec: spec, Rows: height / 2}, width, height)
				}
			}
		}
	}
}
