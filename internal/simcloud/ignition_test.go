package simcloud

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"encoding/hex"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/ignition"
	"exoshift/internal/simcloud/mirror"
	"exoshift/provisioner/objects"
	"exoshift/state"
)

// bootImage returns the mirror's image, optionally patched for Exoscale.
func (o *operator) bootImage(patched bool) []byte {
	o.t.Helper()
	reader, err := gzip.NewReader(strings.NewReader(o.get(mirror.ImageURL("4.20.5"))))
	o.must(err)
	var image io.Reader = reader
	if patched {
		image = ignition.PatchPlatform(reader)
	}
	content, err := io.ReadAll(image)
	o.must(err)
	return content
}

// publish uploads content and returns a signed link to it.
func (o *operator) publish(name string, content []byte) string {
	o.t.Helper()
	bucket, err := objects.New(o.Network(), region, key, secret, state.NoJournal{})
	o.must(err)
	defer bucket.Close()
	_, err = bucket.EnsureBucket(o.t.Context(), "c-1-bootstrap")
	o.must(err)
	o.must(bucket.Upload(o.t.Context(), "c-1-bootstrap", name, bytes.NewReader(content), nil))
	link, err := bucket.SignGetURL(o.t.Context(), "c-1-bootstrap", name, time.Hour)
	o.must(err)
	return link
}

func (o *operator) coreOS(patched bool) string {
	o.t.Helper()
	image := o.bootImage(patched)
	sum := md5.Sum(image)
	template, err := o.RegisterTemplate(o.t.Context(), state.Template{Name: "rhcos", URL: o.publish("rhcos.qcow2", image),
		MD5: hex.EncodeToString(sum[:]), BootMode: "uefi", DefaultUser: "core"})
	o.must(err)
	return template.ID
}

func TestMachine_BootsFromImageAndIgnition(t *testing.T) {
	document := []byte(`{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/opt/hello","contents":{"source":"data:,hi"}}]}}`)
	for name, test := range map[string]struct {
		patched bool
		hashed  []byte
		says    string
	}{
		"as it should be": {true, document, "ignition: files stage finished, 2 files"},
		"wrong hash":      {true, []byte("other"), "hash verification failed"},
		"unpatched image": {false, document, "platform openstack: no user-data found"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := open(t, Options{})
				defer o.close()
				userData, err := ignition.RenderBootstrapPointer("bootstrap", o.publish("bootstrap.ign", document), test.hashed)
				o.must(err)
				_, _, err = o.EnsureInstance(t.Context(), state.Instance{
					Name: "bootstrap", Type: "standard.extra-large", TemplateID: o.coreOS(test.patched), DiskGiB: 100,
					UserData: userData, SecurityGroups: []string{o.group("all", 22)}, Labels: map[string]string{"exoshift-cluster": "c-1"},
				})
				o.must(err)
				time.Sleep(5 * time.Minute)
				if lines := strings.Join(o.Consoles()["bootstrap"], "\n"); !strings.Contains(lines, test.says) || strings.Contains(lines, "X-Amz") {
					t.Errorf("console lacks %q, or shows a signature:\n%s", test.says, lines)
				}
			})
		})
	}
}
