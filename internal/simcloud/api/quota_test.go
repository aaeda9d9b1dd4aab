package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/api/storage"
)

// quota returns usage and limit of a resource.
func (w world) quota(resource string) (usage, limit int) {
	w.Helper()
	var shown struct{ Usage, Limit int }
	w.must(json.Unmarshal([]byte(w.accepted(http.MethodGet, "/quota/"+resource, "")), &shown))
	return shown.Usage, shown.Limit
}

func TestQuota_CountsEveryKind(t *testing.T) {
	names := []string{
		"instance", "elastic-ip", "template", "private-network", "iam-key", "network-load-balancer", "block-storage-volume", "snapshot",
	}
	one := func(c *api.Config) {
		c.Quotas = map[string]int{}
		for _, name := range names {
			c.Quotas[name] = 2
		}
	}
	inBubble(t, one, func(w world) {
		bodies := w.bodies() // creates one resource of some kinds
		for _, test := range []struct{ resource, target string }{
			{"instance", "POST /instance"}, {"elastic-ip", "POST /elastic-ip"}, {"template", "POST /template"},
			{"private-network", "POST /private-network"}, {"iam-key", "POST /api-key"}, {"network-load-balancer", "POST /load-balancer"},
			{"block-storage-volume", "POST /block-storage"}, {"snapshot", "POST /instance/" + w.api.Instances()[0].ID + ":create-snapshot"},
		} {
			method, path, _ := strings.Cut(test.target, " ")
			for before, limit := w.quota(test.resource); before < limit; before++ {
				w.accepted(method, path, bodies[test.target])
				if usage, _ := w.quota(test.resource); usage != before+1 {
					t.Errorf("%s: usage %d after %d", test.resource, usage, before)
				}
			}
			status, answer := w.send(key, secret, method, path, bodies[test.target])
			if status != http.StatusForbidden || !strings.Contains(answer, "Quota exceeded") {
				t.Errorf("%s: %d %s", test.resource, status, answer)
			}
		}
	})
}

func TestQuota_DiskCPUMemory(t *testing.T) {
	some := func(c *api.Config) {
		c.Quotas = map[string]int{"block-storage": 25, "cpu": 9, "memory": 64 << 30}
		c.Buckets = func() []storage.Bucket { return make([]storage.Bucket, 7) }
	}
	inBubble(t, some, func(w world) {
		bodies := w.bodies() // two instances, each with 4 CPUs and 8 GiB
		if usage, _ := w.quota("cpu"); usage != 8 {
			t.Errorf("%d CPUs", usage)
		}
		if usage, _ := w.quota("memory"); usage != 16<<30 {
			t.Errorf("%d bytes of memory", usage)
		}
		if usage, limit := w.quota("bucket"); usage != 7 || limit != 100 || w.api.Limit("bucket") != 100 || w.api.Limit("galaxies") != -1 {
			t.Errorf("%d of %d buckets", usage, limit)
		}
		for target, resource := range map[string]string{"POST /instance": "cpu", "POST /block-storage": "block-storage"} {
			method, path, _ := strings.Cut(target, " ")
			body := strings.Replace(bodies[target], `"size":10`, `"size":26`, 1)
			if status, answer := w.send(key, secret, method, path, body); status != http.StatusForbidden || !strings.Contains(answer, resource) {
				t.Errorf("%s: %d %s", target, status, answer)
			}
		}
	})
}
