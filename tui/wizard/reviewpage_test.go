package wizard

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
	"exoshift/tui/theme"
	"exoshift/tui/tuitest"
	"exoshift/wizard"
	"exoshift/wizard/session"

	"github.com/charmbracelet/x/ansi"
)

// newReview is the review of the default cluster.
func newReview(spec state.Spec) wizard.Review {
	var changes []wizard.PlannedChange
	create := func(kind, detail string, names ...string) {
		for _, name := range names {
			changes = append(changes, wizard.PlannedChange{Action: "create", Kind: kind, Name: name, Detail: detail})
		}
	}
	create("security-group", "4 rules", "c-demo-1-all", "c-demo-1-master", "c-demo-1-worker")
	create("elastic-ip", "", "c-demo-1-api", "c-demo-1-ingress")
	create("bucket", "", "c-demo-1-logstore", "c-demo-1-image-registry")
	create("bucket", "until the bootstrap is complete", "c-demo-1-bootstrap")
	for _, machine := range append(spec.Machines(state.RoleLoadBalancer), spec.Nodes()...) {
		create("instance", fmt.Sprintf("%s, %d GiB", machine.Type, machine.RootDisk), machine.Name)
	}
	changes = append(changes,
		wizard.PlannedChange{Action: "update", Kind: "dns-record", Name: "api.c-demo-1.example.net", Detail: "A 192.0.2.1"},
		wizard.PlannedChange{Action: "found", Kind: "ssh-key", Name: "c-demo-1"})
	return wizard.Review{
		Changes: changes,
		Quotas: []wizard.QuotaCheck{
			{Quota: wizard.Quota{Resource: "instance", Used: 4, Limit: 50}, Need: 16, After: 20, Sufficient: true},
			{Quota: wizard.Quota{Resource: "elastic-ip", Used: 1, Limit: 5}, Need: 2, After: 3, Sufficient: true},
		},
		Estimate: wizard.Estimate{Hour: 2.8412, Month: 2074, Date: "2026-05-01", Machines: 16},
		Minutes:  [2]int{43, 65},
		Actions: []string{"Once the DNS zone c-demo-1.example.net exists, somebody who may change the zone above it has to add the NS records " +
			"that you will be shown. The installation waits for that and then continues."},
		Export: "/srv/exoshift/.drafts/1/answers.yaml",
	}
}

func addReview(d *fakeInterview) *fakeInterview {
	d.Review = func(_ context.Context, spec state.Spec, _ wizard.Secrets) (wizard.Review, error) {
		d.calls = append(d.calls, "review")
		return newReview(spec), nil
	}
	d.LookupEnv = func(string) (string, bool) { return pullSecret, true }
	return d
}

const pullSecret = `{"auths":{"cloud.openshift.com":{"auth":"dTpw"},"quay.io":{"auth":"dTpw"},"registry.redhat.io":{"auth":"dTpw"},"registry.connect.redhat.com":{"auth":"dTpw"}}}`

func openReview(t testing.TB, d *fakeInterview, width, height int, change func(*Options)) *driver {
	t.Helper()
	o := openWizard(t, d.answer(t, completeAnswers()), width, height, change).openPage(t, session.ReviewPage)
	o.Advance(time.Second)
	o.View()
	return o
}

func TestReviewPage_EnterDoesNotConfirm(t *testing.T) {
	o := openReview(t, addReview(newInterview()), 80, 24, nil).Press("enter")
	if o.Quit || o.outcome.Confirmed {
		t.Fatal("enter on a fresh review creates a cluster")
	}
	if o.pages[o.current].screen != session.ChecksPage {
		t.Error("the button that enter presses first is not that to go back")
	}
}

func TestReviewPage_Confirm(t *testing.T) {
	o := openReview(t, addReview(newInterview()), 80, 24, nil).Press("tab")
	if view := o.View(); !strings.Contains(view, "› [ Create: costs money from now on ]") {
		t.Fatalf("tab does not lead to the button:\n%s", view)
	}
	if o.Press("enter"); !o.Quit || !o.outcome.Confirmed {
		t.Errorf("quit %v, outcome %+v", o.Quit, o.outcome)
	}
}

func TestReviewPage_ChangedAnswerIsReviewedAgain(t *testing.T) {
	d := addReview(newInterview())
	o := openReview(t, d, 80, 24, nil).Press("tab")
	if err := o.session.Set("sizing.workers.count", "5"); err != nil {
		t.Fatal(err)
	}
	if o.Press("enter"); o.outcome.Confirmed {
		t.Fatal("answers were created that nobody reviewed")
	}
	if n := count(d.calls, "review"); n != 2 {
		t.Errorf("they were reviewed %d times", n)
	}
	if o.Press("tab", "enter"); !o.outcome.Confirmed {
		t.Error("the new answers were reviewed and cannot be created")
	}
}

func TestReviewPage_FailureOpensField(t *testing.T) {
	d := addReview(newInterview())
	d.Review = func(context.Context, state.Spec, wizard.Secrets) (wizard.Review, error) {
		return wizard.Review{}, fault.Newf(fault.Invalid, "check instance types", "zone ch-gva-2 does not offer cpu.extra-large, which storage-0 requires").
			WithHint("choose another type in the answers file under sizing").WithField("sizing.storage.type")
	}
	o := openReview(t, d, 80, 24, nil)
	view := o.View()
	if o.currentPage().Mark() != theme.Failed || !strings.Contains(view, "does not offer cpu.extra-large") || !strings.Contains(view, "sizing.storage.type") {
		t.Fatalf("%v:\n%s", o.currentPage().Mark(), view)
	}
	tuitest.Golden(t, "review-failed-80x24", renderPage(o))
	if o.Press("enter"); o.outcome.Confirmed || o.pages[o.current].screen != wizard.Nodes {
		t.Errorf("went to %s, %+v", o.pages[o.current].screen, o.outcome)
	}
}

func TestReviewPage_InsufficientQuotaBlocks(t *testing.T) {
	d := addReview(newInterview())
	d.Review = func(_ context.Context, spec state.Spec, _ wizard.Secrets) (wizard.Review, error) {
		r := newReview(spec)
		r.Quotas[0].Limit, r.Quotas[0].Sufficient = 10, false
		return r, nil
	}
	o := openReview(t, d, 80, 24, nil)
	if view := o.View(); strings.Contains(view, "Create") || !strings.Contains(view, "the quota of instance is too low") {
		t.Errorf("the way is free:\n%s", view)
	}
	if o.Press("tab", "enter"); o.outcome.Confirmed {
		t.Error("it is created all the same")
	}
}

func TestReviewPage_Rehearsal(t *testing.T) {
	d := addReview(newInterview())
	d.Rehearsal = true
	view := openReview(t, d, 80, 24, nil).View()
	if !strings.Contains(view, "Rehearse: no real resources") || strings.Contains(view, "costs money") {
		t.Error(view)
	}
}

func TestReviewPage_CheckOnly(t *testing.T) {
	d := addReview(newInterview())
	d.CheckOnly = true
	o := openReview(t, d, 80, 24, nil).Press("tab")
	if view := o.View(); !strings.Contains(view, "› [ Done: nothing is created ]") {
		t.Fatal(view)
	}
	if o.Press("enter"); !o.Quit || o.outcome.Confirmed {
		t.Errorf("quit %v, %+v", o.Quit, o.outcome)
	}
}

func TestReviewPage_UnfoldGroup(t *testing.T) {
	o := openReview(t, addReview(newInterview()), 80, 24, nil)
	if strings.Contains(o.View(), "standard.medium, 20 GiB") && !strings.Contains(o.View(), "load balancer") {
		t.Fatal("it is unfolded from the beginning")
	}
	o.Press("tab", "tab", "enter")
	if view := o.View(); !strings.Contains(view, "lb-0") || !strings.Contains(view, "› - 15 instances") {
		t.Errorf("it does not show its machines:\n%s", view)
	}
}

func TestReviewPage_AnimationEnds(t *testing.T) {
	d := addReview(newInterview()).answer(t, completeAnswers())
	o := openWizard(t, d, 120, 40, nil).openPage(t, session.ReviewPage)
	const steps, step = 10, 60 * time.Millisecond
	frames := []string{}
	for range 30 {
		if view := o.View(); !slices.Contains(frames, view) {
			frames = append(frames, view)
		}
		o.Advance(step)
	}
	if n := len(frames); n < 3 || n > steps+1 {
		t.Errorf("%d frames", n)
	}
	if len(o.Timers) > 0 && strings.Contains(fmt.Sprintf("%T", o.Timers[0].Message), "grown") {
		t.Error("it still grows")
	}
}

func TestReviewPage_Golden(t *testing.T) {
	for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
		tuitest.Golden(t, fmt.Sprintf("review-%dx%d", size[0], size[1]), renderPage(openReview(t, addReview(newInterview()), size[0], size[1], nil)))
	}
	ascii := openReview(t, addReview(newInterview()), 80, 24, func(w *Options) { w.ASCII = true })
	tuitest.Golden(t, "review-80x24-ascii", renderPage(ascii))
	tuitest.Golden(t, "review-80x24-ascii-below", renderPage(ascii.Press("pgdown")))
	below := openReview(t, addReview(newInterview()), 80, 24, nil)
	for page := 1; page <= 3; page++ {
		tuitest.Golden(t, fmt.Sprintf("review-80x24-page%d", page), renderPage(below.Press("pgdown")))
	}
}

func TestLastPages_AnySizeAndKey(t *testing.T) {
	keys := []string{"tab", "down", "up", "pgdown", "end", "home", "shift+tab", "enter", "x", "r", "G"}
	for _, screen := range []wizard.Screen{session.ChecksPage, session.ReviewPage} {
		o := openWizard(t, addChecks(addReview(newInterview()), newFailedChecks()...).answer(t, completeAnswers()), 80, 24, nil).openPage(t, screen)
		p := o.currentPage()
		for i, size := range [][2]int{{0, 0}, {1, 1}, {3, 2}, {20, 5}, {36, 12}, {59, 17}, {61, 19}, {100, 10}, {119, 30}, {120, 3}, {250, 80}} {
			for _, k := range keys {
				p.Update(tuitest.NewKey(k))
				o.Run(o.session.TakeCommands())
				o.session.Intent = nil
				tuitest.CheckBlock(t, fmt.Sprintf("%s %d", screen, i), p.View(size[0], size[1]), size[0], size[1])
			}
		}
	}
}

func TestReviewPage_ScrollsDiff(t *testing.T) {
	long := "ssh-ed25519 " + strings.Repeat("AAAA", 40)
	for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
		d := newInterview()
		d.Review = func(_ context.Context, spec state.Spec, _ wizard.Secrets) (wizard.Review, error) {
			r := newReview(spec)
			r.Difference = "--- a/c-demo-1.yml\n+++ b/c-demo-1.yml\n@@ -1,3 +1,4 @@\n parameters:\n-  openshift: \x1b[31mnone\n+  openshift:\n+    ssh_key: " + long + "\n"
			return r, nil
		}
		d.LookupEnv = func(string) (string, bool) { return pullSecret, true }
		o := openReview(t, d, size[0], size[1], nil)
		var seen strings.Builder
		for range 40 {
			seen.WriteString(o.View())
			o.Press("pgdown")
		}
		all := ansi.Strip(seen.String())
		for _, want := range []string{"CHANGES OF THE TENANT'S CONFIGURATION", "  -  openshift: none", "  +  openshift:", "  +    ssh_key: ssh-ed25519"} {
			if !strings.Contains(all, want) {
				t.Errorf("at %v: %q is not in\n%s", size, want, o.View())
			}
		}
		if strings.Count(all, "A") < 160 {
			t.Errorf("at %v the long line is cut", size)
		}
	}
}
