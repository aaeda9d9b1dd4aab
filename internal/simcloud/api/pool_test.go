package api_test

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"
	"testing/synctest"

	egoscale "github.com/exoscale/egoscale/v2"

	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/store"
)

const large = "c6f99499-7f59-4138-9427-a09db13af2bc"

// pool creates an instance pool with the additional fields.
func (w world) pool(size int, fields string) string {
	w.Helper()
	return w.do(http.MethodPost, "/instance-pool", w.poolBody(size, fields))
}

func (w world) poolBody(size int, fields string) string {
	w.Helper()
	return fmt.Sprintf(`{"name":"workers","size":%d,"disk-size":50,"instance-type":{"id":%q},"template":{"id":%q}%s}`,
		size, large, w.image(), fields)
}

func (w world) stateOf(path string) any {
	w.Helper()
	return w.get(path)["state"]
}

func (w world) members(pool string) []string {
	w.Helper()
	var list []string
	for _, one := range w.get("/instance-pool/" + pool)["instances"].([]any) {
		list = append(list, one.(document)["id"].(string))
	}
	return list
}

func TestPool_CreatesMembers(t *testing.T) {
	inBubble(t, nil, func(w world) {
		ip, net := w.elasticIP(nil), w.do(http.MethodPost, "/private-network", `{"name":"net"}`)
		id := w.pool(3, `,"instance-prefix":"node","labels":{"a":"1"},"user-data":"aGVsbG8=","elastic-ips":[{"id":"`+*ip.ID+
			`"}],"private-networks":[{"id":"`+net+`"}]`)
		w.must(func() error { _, err := w.instance("other", nil); return err }())
		if state := w.stateOf("/instance-pool/" + id); state != "running" {
			t.Errorf("state %v", state)
		}
		managed := w.list("/instance?manager-type=instance-pool&manager-id=" + id)
		if len(managed) != 3 || len(w.list("/instance?manager-id="+large)) != 0 {
			t.Errorf("%d managed instances: %v", len(managed), managed)
		}
		for _, i := range managed {
			manager := i["manager"].(document)
			named := regexp.MustCompile(`^node-[a-z0-9]{5}-[a-z0-9]{5}$`).MatchString(i["name"].(string))
			if !named || i["state"] != "running" || manager["id"] != id || manager["type"] != "instance-pool" ||
				i["labels"].(document)["a"] != "1" || len(i["private-networks"].([]any)) != 1 {
				t.Errorf("member: %v", i)
			}
		}
		if model := w.api.ElasticIPs()[0]; len(model.Instances) != 3 {
			t.Errorf("the elastic IP leads to %v", model.Instances)
		}
		pools, err := w.client.ListInstancePools(w.ctx(), zone)
		w.must(err)
		if len(pools) != 1 || len(*pools[0].InstanceIDs) != 3 || *pools[0].UserData != "aGVsbG8=" {
			t.Errorf("%+v", pools)
		}
	})
}

func TestPool_ScaleAndEvict(t *testing.T) {
	inBubble(t, nil, func(w world) {
		id := w.pool(1, "")
		path := "/instance-pool/" + id
		first := w.members(id)[0]
		w.do(http.MethodPut, path+":scale", `{"size":3}`)
		if got := w.members(id); len(got) != 3 || got[0] != first {
			t.Errorf("members: %v", got)
		}
		w.do(http.MethodPut, path+":evict", `{"instances":["`+first+`"]}`)
		if got := w.get(path); got["size"] != 2.0 || got["state"] != "running" || len(w.members(id)) != 2 {
			t.Errorf("after eviction: %v", got)
		}
		w.refuses(http.StatusBadRequest, "members", http.MethodPut, path+":evict", `{"instances":["`+first+`"]}`)
		w.do(http.MethodPut, path+":scale", `{"size":0}`)
		if got := w.api.Instances(); len(got) != 0 {
			t.Errorf("still there: %v", got)
		}
		w.accepted(http.MethodPut, path+":scale", `{"size":1}`)
		w.refuses(http.StatusConflict, "scaling-up", http.MethodPut, path+":scale", `{"size":2}`)
	})
}

func TestPool_ReplacesLostMember(t *testing.T) {
	inBubble(t, nil, func(w world) {
		id := w.pool(2, "")
		lost := w.members(id)[0]
		w.do(http.MethodDelete, "/instance/"+lost, "")
		if state := w.stateOf("/instance-pool/" + id); state != "scaling-up" {
			t.Errorf("state %v", state)
		}
		if got := w.members(id); len(got) != 2 || got[0] == lost || got[1] == lost {
			t.Errorf("members: %v", got)
		}
	})
}

func TestPool_UpdateAffectsNewMembers(t *testing.T) {
	inBubble(t, nil, func(w world) {
		id := w.pool(1, `,"description":"d","user-data":"aGVsbG8=","labels":{"a":"1"}`)
		path := "/instance-pool/" + id
		w.do(http.MethodPut, path, `{"user-data":"d29ybGQ=","min-available":1,"name":"others"}`)
		got := w.get(path)
		if got["name"] != "others" || got["user-data"] != "d29ybGQ=" || got["min-available"] != 1.0 || got["description"] != "d" {
			t.Errorf("pool: %v", got)
		}
		w.do(http.MethodPut, path+":scale", `{"size":2}`)
		old, young := w.api.Instances()[0], w.api.Instances()[1]
		if string(old.UserData) != "hello" || string(young.UserData) != "world" || young.Labels["a"] != "1" {
			t.Errorf("user data %s and %s, labels %v", old.UserData, young.UserData, young.Labels)
		}
		for _, field := range []string{"description", "labels", "user-data", "anti-affinity-groups", "deploy-target"} {
			w.do(http.MethodDelete, path+"/"+field, "")
		}
		got = w.get(path)
		if got["description"] != nil || got["user-data"] != nil || got["labels"] != nil {
			t.Errorf("after resets: %v", got)
		}
	})
}

func TestPool_RefusedUpdateChangesNothing(t *testing.T) {
	inBubble(t, nil, func(w world) {
		group := w.do(http.MethodPost, "/anti-affinity-group", `{"name":"g"}`)
		id := w.pool(1, `,"anti-affinity-groups":[{"id":"`+group+`"}],"user-data":"aGVsbG8="`)
		w.refuses(http.StatusNotFound, "", http.MethodPut, "/instance-pool/"+id,
			`{"user-data":"d29ybGQ=","anti-affinity-groups":[{"id":"`+large+`"}],"template":{"id":"`+large+`"}}`)
		got := w.get("/instance-pool/" + id)
		if got["user-data"] != "aGVsbG8=" || got["anti-affinity-groups"].([]any)[0].(document)["id"] != group {
			t.Errorf("pool: %v", got)
		}
	})
}

func TestPool_Limits(t *testing.T) {
	limit := func(c *api.Config) { c.Quotas = map[string]int{"instance": 9} }
	inBubble(t, limit, func(w world) {
		group := w.do(http.MethodPost, "/anti-affinity-group", `{"name":"g"}`)
		spread := `,"anti-affinity-groups":[{"id":"` + group + `"}]`
		w.refuses(http.StatusConflict, "full", http.MethodPost, "/instance-pool", w.poolBody(9, spread))
		w.refuses(http.StatusForbidden, "Quota", http.MethodPost, "/instance-pool", w.poolBody(10, ""))
		w.refuses(http.StatusBadRequest, "size", http.MethodPost, "/instance-pool", w.poolBody(0, ""))
		w.refuses(http.StatusNotFound, "elastic-ip", http.MethodPost, "/instance-pool", w.poolBody(1, `,"elastic-ips":[{"id":"`+large+`"}]`))
		if got := w.api.Instances(); len(got) != 0 {
			t.Errorf("refused, and yet there: %v", got)
		}
	})
}

func TestPool_DeletesMembers(t *testing.T) {
	inBubble(t, nil, func(w world) {
		id := w.pool(2, "")
		pool, err := w.client.GetInstancePool(w.ctx(), zone, id)
		w.must(err)
		w.accepted(http.MethodDelete, "/instance-pool/"+id, "")
		w.refuses(http.StatusConflict, "destroyed", http.MethodDelete, "/instance-pool/"+id, "")
		w.until(func() bool { return len(w.list("/instance-pool")) == 0 })
		if got := w.api.Instances(); len(got) != 0 {
			t.Errorf("members are left: %v", got)
		}
		w.missing(w.client.DeleteInstancePool(w.ctx(), zone, pool))
	})
}

func TestPool_ResumesAfterKill(t *testing.T) {
	db, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := open(t, db, nil)
		w.accepted(http.MethodPost, "/instance-pool", w.poolBody(2, ""))
		w.api.Close()

		w = open(t, db, nil)
		id := w.list("/instance-pool")[0]["id"].(string)
		w.until(func() bool { return w.stateOf("/instance-pool/"+id) == "running" })
		lost := w.members(id)[1]
		w.accepted(http.MethodDelete, "/instance/"+lost, "")
		w.api.Close()

		w = open(t, db, nil)
		defer w.api.Close()
		w.until(func() bool { return len(w.members(id)) == 2 })
		if got := w.members(id); len(got) != 2 || got[1] == lost {
			t.Errorf("members: %v without %s", got, lost)
		}
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestPool_ClientLibrary(t *testing.T) {
	inBubble(t, nil, func(w world) {
		image, kind := w.image(), large
		made, err := w.client.CreateInstancePool(w.ctx(), zone, &egoscale.InstancePool{
			Name: ptr("p"), Size: ptr(int64(1)), DiskSize: ptr(int64(20)), TemplateID: &image, InstanceTypeID: &kind,
		})
		w.must(err)
		w.must(w.client.ScaleInstancePool(w.ctx(), zone, made, 2))
		made.Description = ptr("changed")
		w.must(w.client.UpdateInstancePool(w.ctx(), zone, made))
		w.must(w.client.EvictInstancePoolMembers(w.ctx(), zone, made, w.members(*made.ID)[:1]))
		w.must(w.client.DeleteInstancePool(w.ctx(), zone, made))
		if got := w.api.Instances(); len(got) != 0 {
			t.Errorf("still there: %v", got)
		}
	})
}
