package api_test

import (
	"net/http"
	"testing"
	"time"

	egoscale "github.com/exoscale/egoscale/v2"
)

func TestInstance_KeepsDeployTarget(t *testing.T) {
	inBubble(t, nil, func(w world) {
		kinds := map[any]any{}
		for _, target := range w.list("/deploy-target") {
			kinds[target["type"]] = target["id"]
		}
		id, ok := kinds["dedicated"].(string)
		if !ok || kinds["edge"] == nil {
			t.Fatalf("targets: %v", kinds)
		}
		if got := w.get("/deploy-target/" + id); got["name"] != "dedicated-1" {
			t.Errorf("target: %v", got)
		}
		i, err := w.instance("one", func(i *egoscale.Instance) { i.DeployTargetID = &id })
		w.must(err)
		if got := w.get("/instance/" + *i.ID)["deploy-target"].(document); got["id"] != id || w.api.Instances()[0].DeployTarget != id {
			t.Errorf("shown: %v", got)
		}
		_, err = w.instance("two", func(i *egoscale.Instance) { i.DeployTargetID = ptr(large) })
		w.missing(err)
	})
}

func TestInstance_RootDiskSize(t *testing.T) {
	inBubble(t, nil, func(w world) {
		i, err := w.instance("one", nil)
		w.must(err)
		w.must(w.client.StopInstance(w.ctx(), zone, i))
		snapshot := w.do(http.MethodPost, "/instance/"+*i.ID+":create-snapshot", "")
		image := w.do(http.MethodPost, "/snapshot/"+snapshot+":promote", `{"name":"big"}`)
		_, err = w.instance("two", func(i *egoscale.Instance) { i.TemplateID, i.DiskSize = &image, ptr(int64(49)) })
		w.refused(err)
		_, err = w.instance("three", func(i *egoscale.Instance) { i.TemplateID = &image })
		w.must(err)
		_, err = w.instance("four", func(i *egoscale.Instance) { i.DiskSize = ptr(int64(401)) })
		w.refused(err)
		w.must(w.client.ResizeInstanceDisk(w.ctx(), zone, i, 400))
		w.refused(w.client.ResizeInstanceDisk(w.ctx(), zone, i, 401))
		w.refuses(http.StatusBadRequest, "50 GiB", http.MethodPut, "/instance/"+*i.ID+":reset", `{"template":{"id":"`+image+`"},"disk-size":20}`)
		micro, err := w.client.FindInstanceType(w.ctx(), zone, "standard.micro")
		w.must(err)
		w.refused(w.client.ScaleInstance(w.ctx(), zone, i, micro))
	})
}

func TestInstance_ScaleWithinFamily(t *testing.T) {
	inBubble(t, nil, func(w world) {
		i, err := w.instance("one", nil)
		w.must(err)
		w.must(w.client.StopInstance(w.ctx(), zone, i))
		for name, fits := range map[string]bool{"memory.huge": true, "storage.huge": false} {
			kind, err := w.client.FindInstanceType(w.ctx(), zone, name)
			w.must(err)
			if err := w.client.ScaleInstance(w.ctx(), zone, i, kind); (err == nil) != fits {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestInstance_PasswordByTemplate(t *testing.T) {
	inBubble(t, nil, func(w world) {
		plain, err := w.instance("plain", nil)
		w.must(err)
		w.refuses(http.StatusNotFound, "Password", http.MethodGet, "/instance/"+*plain.ID+":password", "")
		w.refuses(http.StatusBadRequest, "passwords", http.MethodPut, "/instance/"+*plain.ID+":reset-password", "")
		snapshot := w.do(http.MethodPost, "/instance/"+*plain.ID+":create-snapshot", "")
		image := w.do(http.MethodPost, "/snapshot/"+snapshot+":promote", `{"name":"with passwords","password-enabled":true}`)
		i, err := w.instance("one", func(i *egoscale.Instance) { i.TemplateID = &image })
		w.must(err)
		path := "/instance/" + *i.ID
		first := w.get(path + ":password")["password"].(string)
		w.do(http.MethodPut, path+":reset-password", "")
		second, err := w.client.RevealInstancePassword(w.ctx(), zone, i)
		w.must(err)
		if len(first) < 8 || first == second {
			t.Errorf("passwords of %d and %d characters", len(first), len(second))
		}
		<-time.After(25 * time.Hour)
		w.refuses(http.StatusNotFound, "Password", http.MethodGet, path+":password", "")
	})
}

func TestInstance_TPMAndRescue(t *testing.T) {
	inBubble(t, nil, func(w world) {
		i, _ := w.machine("one")
		path := "/instance/" + *i.ID
		w.refuses(http.StatusBadRequest, "stopped", http.MethodPost, path+":enable-tpm", "")
		w.do(http.MethodPut, path+":stop", "")
		w.do(http.MethodPost, path+":enable-tpm", "")
		if got := w.get(path); got["tpm-enabled"] != true {
			t.Errorf("instance: %v", got)
		}
		w.refuses(http.StatusBadRequest, "rescue-profile", http.MethodPut, path+":start", `{"rescue-profile":"floppy"}`)
		w.do(http.MethodPut, path+":start", `{"rescue-profile":"netboot-efi"}`)
		if got := w.get("/console/" + *i.ID); got["url"] == "" {
			t.Errorf("console: %v", got)
		}
	})
}

func TestInstance_PublicAddressChanges(t *testing.T) {
	inBubble(t, nil, func(w world) {
		i, _ := w.machine("one")
		path := "/instance/" + *i.ID
		w.do(http.MethodPut, path, `{"public-ip-assignment":"none"}`)
		if got := w.get(path); got["public-ip"] != nil || w.api.Instances()[0].Address.IsValid() {
			t.Errorf("none: %v", got)
		}
		w.do(http.MethodPut, path, `{"public-ip-assignment":"dual","application-consistent-snapshot-enabled":true}`)
		got := w.get(path)
		if got["public-ip"] == nil || got["ipv6-address"] == nil || got["application-consistent-snapshot-enabled"] != true {
			t.Errorf("dual: %v", got)
		}
	})
}

func TestInstance_LabelFilter(t *testing.T) {
	inBubble(t, nil, func(w world) {
		for name, labels := range map[string]map[string]string{"one": {"cluster": "c", "role": "m"}, "two": {"cluster": "c"}, "three": {}} {
			_, err := w.instance(name, func(i *egoscale.Instance) { i.Labels = &labels })
			w.must(err)
		}
		if got := w.list("/instance?labels=cluster%3Dc,role%3Dm"); len(got) != 1 || got[0]["name"] != "one" {
			t.Errorf("found: %v", got)
		}
		if got := w.list("/instance?labels=cluster%3Dc"); len(got) != 2 {
			t.Errorf("found: %v", got)
		}
	})
}
