package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	egoscale "github.com/exoscale/egoscale/v2"

	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/store"
)

// volume creates a block storage volume and returns its path and its ID.
func (w world) volume(size int) (path, id string) {
	w.Helper()
	id = w.do(http.MethodPost, "/block-storage", fmt.Sprintf(`{"name":"pvc","size":%d,"labels":{"a":"1"}}`, size))
	return "/block-storage/" + id, id
}

func named(id string) string { return `{"instance":{"id":"` + id + `"}}` }

func TestVolume_AttachDetach(t *testing.T) {
	inBubble(t, nil, func(w world) {
		i, _ := w.machine("one")
		path, id := w.volume(20)
		if got := w.get(path); got["state"] != "detached" || got["blocksize"] != 4096.0 || got["encrypted"] != true || got["instance"] != nil {
			t.Errorf("new: %v", got)
		}
		w.do(http.MethodPut, path+":attach", named(*i.ID))
		if got := w.get(path); got["state"] != "attached" || got["instance"].(document)["id"] != *i.ID {
			t.Errorf("attached: %v", got)
		}
		shown := w.get("/instance/" + *i.ID)["block-storage-volumes"].([]any)
		if len(shown) != 1 || shown[0].(document)["id"] != id || len(w.list("/block-storage?instance-id="+*i.ID)) != 1 {
			t.Errorf("the instance shows %v", shown)
		}
		w.refuses(http.StatusConflict, "attached", http.MethodPut, path+":attach", named(*i.ID))
		w.refuses(http.StatusConflict, "attached", http.MethodDelete, path, "")
		w.do(http.MethodPut, path+":detach", "")
		w.refuses(http.StatusBadRequest, `Volume not attached"`, http.MethodPut, path+":detach", "")
		w.do(http.MethodDelete, path, "")
		w.refuses(http.StatusNotFound, "", http.MethodGet, path, "")
	})
}

func TestVolume_OutlivesInstance(t *testing.T) {
	inBubble(t, nil, func(w world) {
		i, _ := w.machine("one")
		path, _ := w.volume(20)
		w.do(http.MethodPut, path+":attach", named(*i.ID))
		w.must(w.client.DeleteInstance(w.ctx(), zone, i))
		if got := w.get(path); got["state"] != "detached" || got["instance"] != nil {
			t.Errorf("left behind: %v", got)
		}
		w.do(http.MethodDelete, path, "")
	})
}

func TestVolume_MinimumAndResize(t *testing.T) {
	inBubble(t, nil, func(w world) {
		path, _ := w.volume(1)
		if got := w.get(path); got["size"] != 10.0 {
			t.Errorf("clamped: %v", got)
		}
		var grown document
		w.must(json.Unmarshal([]byte(w.accepted(http.MethodPut, path+":resize-volume", `{"size":30}`)), &grown))
		if grown["size"] != 30.0 || grown["name"] != "pvc" {
			t.Errorf("the answer is no volume: %v", grown)
		}
		w.refuses(http.StatusBadRequest, "size", http.MethodPut, path+":resize-volume", `{"size":20}`)
		w.refuses(http.StatusBadRequest, "size", http.MethodPost, "/block-storage", `{"name":"v","size":10241}`)
		i, _ := w.machine("one")
		w.do(http.MethodPut, path+":attach", named(*i.ID))
		w.refuses(http.StatusConflict, "stopped", http.MethodPut, path+":resize-volume", `{"size":40}`)
		w.must(w.client.StopInstance(w.ctx(), zone, i))
		w.accepted(http.MethodPut, path+":resize-volume", `{"size":40}`)
		w.do(http.MethodPut, path, `{"name":"other","labels":{"b":"2"}}`)
		if got := w.get(path); got["size"] != 40.0 || got["name"] != "other" || got["labels"].(document)["b"] != "2" {
			t.Errorf("changed: %v", got)
		}
	})
}

func TestVolume_LimitPerInstance(t *testing.T) {
	inBubble(t, nil, func(w world) {
		i, _ := w.machine("one")
		for range 5 {
			path, _ := w.volume(10)
			w.do(http.MethodPut, path+":attach", named(*i.ID))
		}
		sixth, _ := w.volume(10)
		w.refuses(http.StatusForbidden, "block-storage-volume-attachments", http.MethodPut, sixth+":attach", named(*i.ID))
		tiny, err := w.instance("tiny", func(i *egoscale.Instance) { i.InstanceTypeID = ptr("b6cd1ff5-3a2f-4e9d-a4d1-8988c1191fe8") })
		w.must(err)
		w.refuses(http.StatusBadRequest, "standard.tiny", http.MethodPut, sixth+":attach", named(*tiny.ID))
	})
}

func TestVolume_Quota(t *testing.T) {
	limit := func(c *api.Config) { c.Quotas = map[string]int{"block-storage": 50, "block-storage-volume": 2} }
	inBubble(t, limit, func(w world) {
		w.volume(30)
		w.refuses(http.StatusForbidden, "block-storage", http.MethodPost, "/block-storage", `{"name":"v","size":30}`)
		w.volume(10)
		w.refuses(http.StatusForbidden, "block-storage-volume", http.MethodPost, "/block-storage", `{"name":"v","size":10}`)
		if got := w.get("/quota/block-storage"); got["usage"] != 40.0 {
			t.Errorf("quota: %v", got)
		}
	})
}

func TestVolume_Snapshot(t *testing.T) {
	inBubble(t, nil, func(w world) {
		path, id := w.volume(20)
		w.accepted(http.MethodPost, path+":create-snapshot", `{"name":"copy","labels":{"a":"1"}}`)
		if got := w.stateOf(path); got != "snapshotting" {
			t.Errorf("while copied: %v", got)
		}
		w.until(func() bool { return w.stateOf(path) == "detached" })
		copied := w.list("/block-storage-snapshot")[0]
		if copied["volume-size"] != 20.0 || copied["block-storage-volume"].(document)["id"] != id || copied["name"] != "copy" {
			t.Errorf("copy: %v", copied)
		}
		from := "/block-storage-snapshot/" + copied["id"].(string)
		w.do(http.MethodPut, from, `{"name":"renamed"}`)
		second := w.do(http.MethodPost, "/block-storage", `{"name":"second","block-storage-snapshot":{"id":"`+copied["id"].(string)+`"}}`)
		if got := w.get("/block-storage/" + second); got["size"] != 20.0 {
			t.Errorf("made of the copy: %v", got)
		}
		w.do(http.MethodDelete, path, "")
		if got := w.get(from); got["name"] != "renamed" || got["state"] != "created" {
			t.Errorf("after the volume: %v", got)
		}
		w.do(http.MethodDelete, from, "")
		w.refuses(http.StatusNotFound, "", http.MethodGet, from, "")
	})
}

func TestVolume_AttachResumesAfterKill(t *testing.T) {
	db, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := open(t, db, nil)
		i, _ := w.machine("one")
		path, _ := w.volume(20)
		w.accepted(http.MethodPut, path+":attach", named(*i.ID))
		w.api.Close()

		w = open(t, db, nil)
		defer w.api.Close()
		w.until(func() bool { return w.stateOf(path) == "attached" })
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
