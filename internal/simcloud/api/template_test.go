package api_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	egoscale "github.com/exoscale/egoscale/v2"
	"github.com/exoscale/egoscale/v2/oapi"

	"exoshift/internal/simcloud/api"
)

const imageURL = "https://images.example.com/rhcos.qcow2?X-Amz-Signature=hidden"

func (w world) register(image []byte, checksum string) (*egoscale.Template, error) {
	w.images[imageURL] = image
	return w.client.RegisterTemplate(w.ctx(), zone, &egoscale.Template{
		Name: ptr("rhcos"), URL: ptr(imageURL), Checksum: &checksum, BootMode: ptr("uefi"), DefaultUser: ptr("core"),
		SSHKeyEnabled: ptr(true), PasswordEnabled: ptr(false),
	})
}

func TestTemplate_FetchedAndVerified(t *testing.T) {
	inBubble(t, nil, func(w world) {
		padding := strings.Repeat("x", 100_000)
		image := []byte("QFI\xfb" + padding + "linux ignition.platform.id=exoscale $ignition" + padding)
		began := time.Now()
		made, err := w.register(image, md5sum(image))
		w.must(err)
		if took := time.Since(began); took < 3*time.Minute || took > 5*time.Minute {
			t.Errorf("took %v", took)
		}
		model, ok := w.api.Template(*made.ID)
		if !ok || model.Platform != "exoscale" || model.BootMode != "uefi" || model.Public {
			t.Errorf("%+v %v", model, ok)
		}
		found, err := w.client.GetTemplateByName(w.ctx(), zone, "rhcos", "private")
		w.must(err)
		i, err := w.instance("one", func(i *egoscale.Instance) { i.TemplateID = found.ID })
		w.must(err)
		w.must(w.client.DeleteInstance(w.ctx(), zone, i))
		w.must(w.client.DeleteTemplate(w.ctx(), zone, made))
		_, err = w.client.GetTemplate(w.ctx(), zone, *made.ID)
		w.missing(err)
	})
}

func TestTemplate_HiddenUntilReady(t *testing.T) {
	inBubble(t, nil, func(w world) {
		image := []byte("QFI\xfb")
		go func() { _, _ = w.register(image, md5sum(image)) }()
		synctest.Wait()
		list, err := w.client.ListTemplates(w.ctx(), zone, egoscale.ListTemplatesWithVisibility("private"))
		w.must(err)
		if len(list) != 0 {
			t.Errorf("%d templates at once", len(list))
		}
		<-time.After(5 * time.Minute)
		synctest.Wait()
	})
}

func TestTemplate_BadImageReason(t *testing.T) {
	inBubble(t, nil, func(w world) {
		tests := map[string]struct {
			image            []byte
			checksum, reason string
		}{
			"Checksum mismatch":   {[]byte("QFI\xfb..."), md5sum([]byte("other")), "incorrect"},
			"not in QCOW2 format": {[]byte("raw"), md5sum([]byte("raw")), "incorrect"},
			"downloaded":          {nil, md5sum(nil), "unavailable"},
		}
		for text, test := range tests {
			delete(w.images, imageURL)
			if test.image != nil {
				w.images[imageURL] = test.image
			}
			answer, err := w.client.RegisterTemplateWithResponse(w.ctx(), oapi.RegisterTemplateJSONRequestBody{
				Name: "bad", Url: imageURL, Checksum: test.checksum,
			})
			w.must(err)
			<-time.After(5 * time.Minute)
			op, err := w.client.GetOperationWithResponse(w.ctx(), *answer.JSON200.Id)
			w.must(err)
			body := string(op.Body)
			if *op.JSON200.State != "failure" || string(*op.JSON200.Reason) != test.reason || !strings.Contains(body, text) {
				t.Errorf("%s: %s", text, body)
			}
			if strings.Contains(body, "hidden") {
				t.Errorf("a signed link's signature is told: %s", body)
			}
		}
		quota, err := w.client.GetQuota(w.ctx(), zone, "template")
		w.must(err)
		if *quota.Usage != 0 {
			t.Errorf("failed templates count: %d", *quota.Usage)
		}
	})
}

// slow is a server whose responses take ten minutes.
type slow struct{ direct }

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	<-time.After(10 * time.Minute)
	return s.direct.RoundTrip(r)
}

func TestTemplate_WaitsForSlowImage(t *testing.T) {
	image := []byte("QFI\xfb ignition.platform.id=exoscale ")
	serve := func(c *api.Config) {
		c.HTTP = &http.Client{Transport: slow{direct{images: map[string][]byte{imageURL: image}}}}
	}
	inBubble(t, serve, func(w world) {
		began := time.Now()
		made, err := w.register(image, md5sum(image))
		w.must(err)
		if took := time.Since(began); took < 10*time.Minute || took > 11*time.Minute {
			t.Errorf("registered after %v", took)
		}
		if got, ok := w.api.Template(*made.ID); !ok || got.Platform != "exoscale" {
			t.Errorf("%+v %v", got, ok)
		}
	})
}
