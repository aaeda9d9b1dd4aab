package exoscale_test

import (
	"context"
	"crypto/md5" //nolint:gosec // the API asks for MD5
	"encoding/hex"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/site"
	"exoshift/provisioner/exoscale"
	"exoshift/state"
)

func rhcos() state.Template {
	sum := md5.Sum([]byte("QFI\xfb and more")) //nolint:gosec // see the import
	return state.Template{
		Name: "rhcos-1", Description: "RHCOS", URL: "https://images.example/rhcos.qcow2", MD5: hex.EncodeToString(sum[:]),
		BootMode: "uefi", DefaultUser: "core", Build: "1",
	}
}

func TestTemplate_RegisterAndFind(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := rhcos()
		_, err := w.FindTemplate(ctx, wanted.Name)
		w.wantFault(err, fault.NotFound, "rhcos-1", zone)
		made, err := w.RegisterTemplate(ctx, wanted)
		w.check(err)
		found, err := w.FindTemplate(ctx, wanted.Name)
		w.check(err)
		if diff := cmp.Diff(made, found); diff != "" {
			w.t.Error(diff)
		}
		_, err = w.FindPublicTemplate(ctx, wanted.Name)
		w.wantFault(err, fault.NotFound, "public")
	})
}

func TestRegisterTemplate_OtherImage(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, err := w.RegisterTemplate(ctx, state.Template{
			Name: "rhcos-1", URL: "https://images.example/rhcos.qcow2?X-Amz-Signature=abc", MD5: "00000000000000000000000000000000",
		})
		w.wantFault(err, fault.Invalid, "create template rhcos-1", "Checksum mismatch")
	})
}

func trail(at time.Time, handler, uri string, status int, name string) site.Fault {
	return site.Fault{Match: "GET /v2/event", Respond: matchPattern(200, fmt.Sprintf(
		`[{"timestamp":%q,"handler":%q,"uri":%q,"status":%d,"zone":%q,"body-params":{"name":%q}},{"handler":"create-instance"}]`,
		at.UTC().Format("2006-01-02T15:04:05.000Z"), handler, uri, status, zone, name))}
}

func TestRegisterTemplate_WaitsAfterLostAnswer(t *testing.T) {
	for name, event := range map[string]func() site.Fault{
		"told by the zone":    func() site.Fault { return site.Fault{Match: "nothing"} },
		"told by its handler": func() site.Fault { return trail(time.Now(), "register-template", "", 200, "rhcos-1") },
		"told by its address": func() site.Fault { return trail(time.Now(), "", "/v2/template", 200, "rhcos-1") },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				w.InjectFaults(site.Fault{Match: "POST /v2/template", ServeFirst: true}, event())
				made, err := w.RegisterTemplate(ctx, rhcos())
				w.check(err)
				found, err := w.FindTemplate(ctx, "rhcos-1")
				w.check(err)
				if made.ID != found.ID || made.ID == "" || w.count("POST /v2/template") != 1 {
					w.t.Errorf("made %q, found %q, %d registrations", made.ID, found.ID, w.count("POST /v2/template"))
				}
				if len(w.journal.open) > 0 {
					w.t.Errorf("the journal misses results: %v", w.journal.open)
				}
			})
		})
	}
}

func TestRegisterTemplate_RestartsUndelivered(t *testing.T) {
	for name, event := range map[string]func() site.Fault{
		"no trace":   func() site.Fault { return site.Fault{Match: "nothing"} },
		"of another": func() site.Fault { return trail(time.Now(), "register-template", "/v2/template", 200, "rhcos-2") },
		"refused":    func() site.Fault { return trail(time.Now(), "register-template", "/v2/template", 403, "rhcos-1") },
		"of another operation": func() site.Fault {
			return trail(time.Now(), "delete-template", "/v2/template/7", 200, "rhcos-1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				w.InjectFaults(site.Fault{Match: "POST /v2/template"}, event())
				began := time.Now()
				_, err := w.RegisterTemplate(ctx, rhcos())
				w.check(err)
				if took := time.Since(began); took > 30*time.Minute || w.count("POST /v2/template") != 2 {
					w.t.Errorf("took %s, %d registrations", took, w.count("POST /v2/template"))
				}
			})
		})
	}
}

func TestRegisterTemplate_TimeoutAfterHour(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"clocks that agree": 0, "a server that is ahead": 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				event := trail(time.Now().Add(ahead), "register-template", "/v2/template", 200, "rhcos-1")
				w.InjectFaults(site.Fault{Match: "POST /v2/template"}, event)
				began := time.Now()
				_, err := w.RegisterTemplate(ctx, rhcos())
				w.check(err)
				if took := time.Since(began); took < 59*time.Minute || took > 90*time.Minute {
					w.t.Errorf("took %s", took)
				}
			})
		})
	}
}

func TestRegisterTemplate_FailureEndsWait(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wrong := rhcos()
		wrong.MD5 = "00000000000000000000000000000000"
		_, err := w.RegisterTemplate(ctx, wrong)
		w.wantFault(err, fault.Invalid, "Checksum mismatch")
		_, err = w.RegisterTemplate(ctx, rhcos())
		w.check(err)
		if w.count("GET /v2/event") != 0 || w.count("POST /v2/template") != 2 {
			w.t.Errorf("%v", w.Requests())
		}
	})
}

func TestRegisterTemplate_EventsForbiddenHint(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(site.Fault{Match: "POST /v2/template"}, site.Fault{Match: "GET /v2/event", Respond: matchPattern(403, `{"message":"no"}`)})
		_, err := w.RegisterTemplate(ctx, rhcos())
		w.wantFault(err, fault.Denied, "audit trail", "list events")
	})
}

// Two clusters that are installed at the same time may register the same image.
func TestFindTemplate_OldestOfEquals(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		var ids []string
		for range 3 { // the first two within the same second
			ids = append(ids, w.raw(ctx, http.MethodPost, "/template", map[string]any{
				"name": "rhcos-1", "url": rhcos().URL, "checksum": rhcos().MD5, "ssh-key-enabled": true, "password-enabled": false,
			}))
			if len(ids) == 2 {
				w.check(w.net.Clock.Sleep(ctx, time.Hour))
			}
		}
		all, err := w.ListTemplates(ctx, "rhcos-1", "private")
		w.check(err)
		if len(all) != 3 || all[0].ID != ids[2] {
			w.t.Fatalf("%+v, want %s first", all, ids[2])
		}
		want := all[2].ID // of two with the same second either one, but always the same
		for _, client := range []*exoscale.Client{w.Client, w.WithPreview()} {
			found, err := client.FindTemplate(ctx, "rhcos-1")
			w.check(err)
			if found.ID != want {
				w.t.Errorf("found %s of %q, want %s", found.ID, ids, want)
			}
		}
		none, err := w.ListTemplates(ctx, "rhcos-1", "public")
		w.check(err)
		if len(none) > 0 {
			w.t.Errorf("%+v", none)
		}
	})
}

func TestFindTemplate_RefusesDifferentOnes(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(site.Fault{Match: "GET /v2/template", Respond: matchPattern(200, `{"templates":[
			{"id":"first","name":"rhcos-1","checksum":"aa"},{"id":"second","name":"rhcos-1","checksum":"bb"}]}`)})
		_, err := w.FindTemplate(ctx, "rhcos-1")
		w.wantFault(err, fault.Conflict, "first with checksum aa", "second with checksum bb", "delete or rename")
	})
}
