package assets

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestStorageDriver_RenderedArguments(t *testing.T) {
	manifests, err := RenderStorageDriver(StorageDriver{Key: "EXO01", Secret: `a"b`})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`EXOSCALE_API_KEY: "EXO01"`, `EXOSCALE_API_SECRET: "a\"b"`} {
		if !strings.Contains(string(manifests), want) {
			t.Errorf("no %s", want)
		}
	}
	defaults := 0
	for document := range strings.SplitSeq(string(manifests), "\n---\n") {
		var object struct {
			Kind, Provisioner, VolumeBindingMode, ReclaimPolicy string

			Metadata struct {
				Name        string
				Annotations map[string]string
			}
		}
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		if object.Metadata.Annotations["storageclass.kubernetes.io/is-default-class"] == "true" {
			defaults++
			if object.Kind != "StorageClass" || object.Metadata.Name != StorageClass || object.Provisioner != "csi.exoscale.com" ||
				object.VolumeBindingMode != "WaitForFirstConsumer" || object.ReclaimPolicy != "Delete" {
				t.Errorf("the default storage class is %+v", object)
			}
		}
	}
	if defaults != 1 {
		t.Errorf("%d default storage classes", defaults)
	}
	for _, incomplete := range []StorageDriver{{Key: "k"}, {Secret: "s"}} {
		if _, err := RenderStorageDriver(incomplete); err == nil {
			t.Errorf("%+v is enough", incomplete)
		}
	}
}
