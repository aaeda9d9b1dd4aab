package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/request"
	"exoshift/internal/app/run"
	"exoshift/internal/app/zoneimage"
	"exoshift/internal/console"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/remoterun"
	"exoshift/state"
)

// fromZone has a run's image copied in the zone. Machines of a simulated zone run this program whatever they download, which is a few
// bytes here.
func fromZone(s run.Run) run.Run {
	s.Options.ImageFromZone = true
	s.Alter = func(clients *install.Clients) {
		clients.ImageCopier = zoneimage.New(zoneimage.Options{
			Network: s.Net, Spec: s.Spec, Secrets: s.Secrets, Objects: clients.Objects.(*objects.Client), Dir: s.Folder.Path("machines"),
			Program: func() (remoterun.Program, error) {
				open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("a program")), nil }
				return remoterun.Program{Args: []string{zoneimage.Verb}, Open: open}, nil
			},
		})
	}
	return s
}

// isTemplate is the event of the template of the nodes.
func isTemplate(e provisioner.Event) bool {
	return e.Type == provisioner.TypeObject && e.Kind == state.KindTemplate
}

func TestImageFromZone_InstalledKeptAndDestroyed(t *testing.T) {
	whole(t)
	t.Parallel()
	virtually(t, "", func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		s = fromZone(s)
		before := belongings(t, s)
		var out bytes.Buffer
		copied := false
		for _, e := range installedTo(t, s, &out, os.Stderr) {
			copied = copied || e.Step == "image" && strings.Contains(e.Text, "the machine has the program and copies the image")
		}
		if !copied || strings.Contains(out.String(), "X-Amz-Signature") {
			t.Error("no machine copied the image, or a link is in an event")
		}
		keptAndDestroyed(t, s, zone, before)
	})
}

// The template is that of an upload from here, and of the machine nothing is left.
func TestImageFromZone_SameTemplate(t *testing.T) {
	t.Parallel()
	made := map[bool]state.Facts{}
	for _, zoned := range []bool{false, true} {
		virtually(t, "", func(t *testing.T, s run.Run, zone *simcloud.Zone) {
			if zoned {
				s = fromZone(s)
			}
			interruptedAt(t, s, isTemplate)
			var err error
			if made[zoned], err = s.Folder.LoadFacts(); err != nil {
				t.Fatal(err)
			}
			for _, o := range everything(t, s) {
				if strings.Contains(o.Name, "exoshift-check") || o.Labels[state.LabelCheck] != "" {
					t.Errorf("left behind: %s %s", o.Kind, o.Name)
				}
			}
			if uploads := zone.Uploads(); uploads != 0 {
				t.Errorf("%d uploads are left", uploads)
			}
		})
	}
	if made[true].Template == "" || made[true].Template != made[false].Template || made[true].TemplateMD5 != made[false].TemplateMD5 {
		t.Errorf("in the zone it is %s (%s), from here %s (%s)", made[true].Template, made[true].TemplateMD5, made[false].Template, made[false].TemplateMD5)
	}
}

// killedAtPart ends this process when a machine uploads its first part: nothing more of it arrives. The machine goes on.
type killedAtPart struct {
	kill        func()
	dead, again atomic.Bool
}

func (k *killedAtPart) gate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch machine := strings.HasPrefix(r.RemoteAddr, "198.18."); {
		case machine && r.URL.Query().Has("partNumber") && k.dead.CompareAndSwap(false, true):
			k.kill()
		case !machine && k.dead.Load() && !k.again.Load():
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
}

func TestImageFromZone_KilledRunIsDestroyed(t *testing.T) {
	t.Parallel()
	k := &killedAtPart{}
	virtuallyIn(t, circumstances{middleware: k.gate}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		before := belongings(t, s)
		ctx, kill := context.WithCancel(t.Context())
		defer kill()
		k.kill = kill
		if err := installWith(ctx, fromZone(s), cli.Streams{Out: new(bytes.Buffer), Err: io.Discard}); err == nil {
			t.Fatal("the killed run succeeded")
		}
		k.again.Store(true)
		if left := strings.Join(belongings(t, s), "\n"); !strings.Contains(left, "instance exoshift-check-") {
			t.Fatalf("the machine is not left behind, so nothing is shown:\n%s", left)
		}
		if diff := cmp.Diff(before, afterDestroying(t, s)); diff != "" || zone.Uploads() != 0 {
			t.Errorf("%d uploads, -before +after\n%s", zone.Uploads(), diff)
		}
	})
}

func TestSlowUplink_ProposesCopyInZone(t *testing.T) {
	t.Parallel()
	virtually(t, "slow-uplink", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		const command = "exoshift install -d cluster --image-from zone"
		s.Locations.Resume = "exoshift install -d cluster"
		events := interruptedAt(t, s, func(e provisioner.Event) bool { return strings.Contains(e.Text, command) })
		if last := events[len(events)-1]; last.State != provisioner.Finished {
			t.Errorf("the last event is %+v", last)
		}
		facts, err := s.Folder.LoadFacts()
		// The simulated image is so small that a few writes are all that is measured.
		if err != nil || facts.UploadMinutes < 10 || facts.UploadMinutes > 18 {
			t.Fatalf("%d minutes are noted, want about 12; %v", facts.UploadMinutes, err)
		}
		preview, err := s.Preview(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var plan bytes.Buffer
		console.PrintPlan(&plan, s.Spec, preview)
		if !strings.Contains(plan.String(), "minutes from here, as measured: --image-from zone takes a few") {
			t.Errorf("the plan is\n%s", plan.String())
		}
		began := s.Net.Clock.Now()
		interruptedAt(t, fromZone(s), isTemplate)
		if took := s.Net.Clock.Now().Sub(began); took > 10*time.Minute {
			t.Errorf("by a machine in the zone it took %s", took)
		}
	})
}

// Without a person nothing changes by itself: the upload goes on, and the template is made.
func TestSlowUplink_UploadGoesOn(t *testing.T) {
	t.Parallel()
	virtually(t, "slow-uplink", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		s.Locations.Resume = "exoshift install -d cluster"
		proposals := 0
		for _, e := range interruptedAt(t, s, isTemplate) {
			if strings.Contains(e.Text, "--image-from zone") {
				proposals++
			}
			if strings.Contains(e.Text, "standard.micro") {
				t.Errorf("a machine was started: %s", e.Text)
			}
		}
		if proposals != 1 {
			t.Errorf("%d proposals", proposals)
		}
	})
}

// A person who is asked while the image is uploaded has it copied in the zone, by the same run.
func TestSlowUplink_CopiedInZoneOnceDecided(t *testing.T) {
	t.Parallel()
	virtually(t, "slow-uplink", func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		s.Locations.Resume = "exoshift install -d cluster"
		s = fromZone(s)
		s.Options.ImageFromZone = false
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		began, made, copied := s.Net.Clock.Now(), time.Time{}, false
		watch := func(e provisioner.Event) {
			copied = copied || strings.Contains(e.Text, "the machine has the program and copies the image")
			if isTemplate(e) {
				made = s.Net.Clock.Now()
				stop()
			}
		}
		operator := &decider{Display: jsonDisplay(cli.Streams{Out: io.Discard, Err: io.Discard}), reply: provisioner.ReplyCopy, seen: watch}
		if code := exit.Code(s.Install(ctx, operator)); code != exit.Interrupted {
			t.Errorf("exit code %d", code)
		}
		if operator.asked != "slow-uplink" || operator.decided != "copy" || !copied || made.Sub(began) > 10*time.Minute {
			t.Errorf("asked about %q, decided %q, copied %v, took %s", operator.asked, operator.decided, copied, made.Sub(began))
		}
		facts, err := s.Folder.LoadFacts()
		if err != nil || facts.UploadMinutes != 0 || zone.Uploads() != 0 {
			t.Errorf("%d minutes are noted, %d uploads are left, %v", facts.UploadMinutes, zone.Uploads(), err)
		}
	})
}

func TestImageSource_AsksWhereUploadIsSlow(t *testing.T) {
	slow := state.Facts{UploadMinutes: 35}
	lacks := install.Preview{Changes: []install.Change{{Action: state.Created, Kind: state.KindTemplate}}}
	there := install.Preview{Changes: []install.Change{{Action: state.Found, Kind: state.KindTemplate}}}
	for name, c := range map[string]struct {
		facts           state.Facts
		preview         install.Preview
		given           request.Request
		typed           string
		asked, fromZone bool
	}{
		"a yes":          {slow, lacks, request.Request{}, "y\n", true, true},
		"a no":           {slow, lacks, request.Request{}, "n\n", true, false},
		"said already":   {slow, lacks, request.Request{ImageFromZone: true}, "", false, true},
		"never measured": {state.Facts{}, lacks, request.Request{}, "", false, false},
		"image is there": {slow, there, request.Request{}, "", false, false},
	} {
		folder, err := state.Create(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := folder.SaveFacts(c.facts); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		o := cli.NewOptions(c.given, cli.OutputTUI)
		err = promptImageSource(t.Context(), folder, c.preview, &o, cli.Streams{In: strings.NewReader(c.typed), Out: &out})
		asked := strings.Contains(out.String(), "about 35 minutes") && strings.Contains(out.String(), "Copy it in the zone? [y/N]")
		if asked != c.asked || o.ImageFromZone != c.fromZone || err != nil {
			t.Errorf("%s: asked %v, from the zone %v, %v", name, asked, o.ImageFromZone, err)
		}
	}
}
