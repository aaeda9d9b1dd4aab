package api_test

import (
	"crypto/md5" //nolint:gosec // the API states MD5
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/simcloud/api"
)

func TestSnapshot_Revert(t *testing.T) {
	inBubble(t, nil, func(w world) {
		i, _ := w.machine("one")
		other, _ := w.machine("two")
		instance := "/instance/" + *i.ID
		id := w.do(http.MethodPost, instance+":create-snapshot", "")
		shown, err := w.client.GetSnapshot(w.ctx(), zone, id)
		w.must(err)
		if *shown.State != "ready" || *shown.InstanceID != *i.ID || !strings.HasPrefix(*shown.Name, "one_") {
			t.Errorf("%+v", shown)
		}
		if listed := w.get(instance)["snapshots"].([]any); len(listed) != 1 {
			t.Errorf("the instance shows %v", listed)
		}
		back := `{"id":"` + id + `"}`
		w.refuses(http.StatusBadRequest, "stopped", http.MethodPost, instance+":revert-snapshot", back)
		w.must(w.client.StopInstance(w.ctx(), zone, i))
		w.must(w.client.ResizeInstanceDisk(w.ctx(), zone, i, 100))
		w.do(http.MethodPost, instance+":revert-snapshot", back)
		if got := w.get(instance); got["disk-size"] != 50.0 {
			t.Errorf("disk: %v", got["disk-size"])
		}
		w.must(w.client.StopInstance(w.ctx(), zone, other))
		w.refuses(http.StatusBadRequest, "not one of", http.MethodPost, "/instance/"+*other.ID+":revert-snapshot", back)
		w.do(http.MethodDelete, "/snapshot/"+id, "")
		if left := w.list("/snapshot"); len(left) != 0 {
			t.Errorf("left: %v", left)
		}
	})
}

func TestSnapshot_ExportAndPromote(t *testing.T) {
	link := func(c *api.Config) { c.ExportLink = func(name string) string { return "https://example.com/" + name } }
	inBubble(t, link, func(w world) {
		i, _ := w.machine("one")
		id := w.do(http.MethodPost, "/instance/"+*i.ID+":create-snapshot", "")
		path := "/snapshot/" + id
		if export := w.get(path)["export"].(document); len(export) != 0 {
			t.Errorf("before: %v", export)
		}
		w.accepted(http.MethodPost, path+":export", "")
		w.refuses(http.StatusConflict, "exporting", http.MethodDelete, path, "")
		if _, ok := w.api.ExportedSnapshot(id + ".qcow2"); ok {
			t.Error("there is an image of a snapshot that is not exported")
		}
		w.until(func() bool { return w.stateOf(path) == "exported" })
		image, ok := w.api.ExportedSnapshot(id + ".qcow2")
		sum := md5.Sum(image) //nolint:gosec // the API states MD5
		want := document{"presigned-url": "https://example.com/" + id + ".qcow2", "md5sum": hex.EncodeToString(sum[:])}
		if diff := cmp.Diff(want, w.get(path)["export"].(document)); !ok || diff != "" {
			t.Errorf("exported: %t\n%s", ok, diff)
		}
		made := w.do(http.MethodPost, path+":promote", `{"name":"golden","default-user":"me"}`)
		template, err := w.client.GetTemplate(w.ctx(), zone, made)
		w.must(err)
		if *template.Name != "golden" || *template.Visibility != "private" || *template.DefaultUser != "me" || *template.Size != 50<<30 {
			t.Errorf("%+v", template)
		}
		elsewhere := w.do(http.MethodPost, "/template/"+made, `{"target-zone":{"name":"at-vie-1"}}`)
		if _, err := w.client.GetTemplate(w.ctx(), "at-vie-1", elsewhere); err != nil {
			t.Error(err)
		}
		_, err = w.client.GetTemplate(w.ctx(), zone, elsewhere)
		w.missing(err)
		w.refuses(http.StatusNotFound, "", http.MethodPost, "/template/"+w.image(), `{"target-zone":{"name":"at-vie-1"}}`)
	})
}
