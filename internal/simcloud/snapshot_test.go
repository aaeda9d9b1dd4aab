package simcloud

import (
	"crypto/md5" //nolint:gosec // the API states MD5
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	egoscale "github.com/exoscale/egoscale/v2"
)

// The image of an exported snapshot has the checksum that the API states, opens by its link alone, and makes a template.
func TestSnapshot_ExportedImageIsServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{})
		defer o.close()
		client, err := egoscale.NewClient(key, secret, egoscale.ClientOptWithHTTPClient(o.Network().NewClient()), egoscale.ClientOptWithTimeout(time.Hour))
		o.must(err)
		ctx := t.Context()
		machine := o.ubuntu("lb-0", o.group("lb"), nil)
		time.Sleep(3 * time.Minute)
		made, err := client.CreateInstanceSnapshot(ctx, region, &egoscale.Instance{ID: &machine.ID})
		o.must(err)
		exported, err := client.ExportSnapshot(ctx, region, made)
		o.must(err)
		link, stated := *exported.PresignedURL, *exported.MD5sum
		image := o.get(link)
		sum := md5.Sum([]byte(image)) //nolint:gosec // see the import
		if got := hex.EncodeToString(sum[:]); got != stated {
			t.Fatalf("the image has the checksum %s, the API states %s: %.60q", got, stated, image)
		}
		if size := binary.BigEndian.Uint64([]byte(image)[24:]); size != uint64(*made.Size)<<30 {
			t.Errorf("the disk has %d bytes, the snapshot %d GiB", size, *made.Size)
		}
		for _, refused := range []string{
			strings.Split(link, "?")[0],
			strings.Replace(link, *made.ID, "another", 1),
			link[:len(link)-1],
		} {
			if got := o.get(refused); !strings.Contains(got, "<Code>") {
				t.Errorf("GET %s = %.60q", refused, got)
			}
		}
		bootMode, isTrue := "legacy", true
		name := "from-a-snapshot"
		registered, err := client.RegisterTemplate(ctx, region, &egoscale.Template{Name: &name, URL: &link, Checksum: &stated, BootMode: &bootMode,
			SSHKeyEnabled: &isTrue, PasswordEnabled: &isTrue})
		o.must(err)
		if *registered.Checksum != stated {
			t.Errorf("the template has the checksum %s", *registered.Checksum)
		}
		o.must(client.DeleteSnapshot(ctx, region, made))
		time.Sleep(time.Minute)
		if got := o.get(link); !strings.Contains(got, "NoSuchKey") && !strings.Contains(got, "expired") {
			t.Errorf("after the deletion: %.60q", got)
		}
	})
}
