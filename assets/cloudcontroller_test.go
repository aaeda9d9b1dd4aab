package assets

import (
	"strings"
	"testing"
)

func TestCloudControllerManager_RenderedArguments(t *testing.T) {
	manifests, err := RenderCloudControllerManager(CloudController{Domain: "c-1.example.net", Zone: "ch-gva-2", Key: "EXO01", Secret: `a"b`})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`value: "api-int.c-1.example.net"`, `api-zone: "ch-gva-2"`, `api-key: "EXO01"`, `api-secret: "a\"b"`, "hostNetwork: true",
		"key: node.cloudprovider.kubernetes.io/uninitialized", "key: node.kubernetes.io/not-ready",
	} {
		if !strings.Contains(string(manifests), want) {
			t.Errorf("no %s", want)
		}
	}
	for _, incomplete := range []CloudController{
		{Zone: "z", Key: "k", Secret: "s"}, {Domain: "d", Key: "k", Secret: "s"}, {Domain: "d", Zone: "z", Secret: "s"}, {Domain: "d", Zone: "z", Key: "k"},
	} {
		if _, err := RenderCloudControllerManager(incomplete); err == nil {
			t.Errorf("%+v is enough", incomplete)
		}
	}
}
