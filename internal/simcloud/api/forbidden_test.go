package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/internal/simcloud/api"
)

// bodies returns one valid request for each path, and creates the resources in w that they need.
func (w world) bodies() map[string]string {
	w.Helper()
	i, _ := w.machine("target")
	ip, group, d := w.elasticIP(nil), w.group("g"), w.domain("c.example.com")
	r, err := w.recordIn(d, "b", "A", "198.19.0.1")
	w.must(err)
	role := w.role(only("compute", rule("operation == 'list-zones'")))
	image, err := w.client.GetTemplateByName(w.ctx(), zone, "Linux Debian 12 (Bookworm) 64-bit", "public")
	w.must(err)
	parts := fmt.Sprintf(`"instance-type":{"id":"c6f99499-7f59-4138-9427-a09db13af2bc"},"template":{"id":%q},"disk-size":50`, *image.ID)
	const health = `{"mode":"http","port":80,"uri":"/","interval":10,"timeout":2,"strikes-ok":2,"strikes-fail":3}`
	volume := w.created("/block-storage", `{"name":"v","size":10}`)
	pool := w.created("/instance-pool", `{"name":"p","size":1,`+parts+`}`)
	balancer := w.created("/load-balancer", `{"name":"b"}`)
	service := `{"name":"s","instance-pool":{"id":"` + pool + `"},"protocol":"tcp","strategy":"round-robin","port":80,"target-port":80,` +
		`"healthcheck":{"mode":"http","port":80,"uri":"/","interval":10,"timeout":2,"retries":1}}`
	return map[string]string{
		"POST /block-storage":                                `{"name":"n","size":10,"labels":{"a":"b"}}`,
		"PUT /block-storage/" + volume:                       `{"name":"n","labels":{"a":"b"}}`,
		"PUT /block-storage/" + volume + ":attach":           `{"instance":{"id":"` + *i.ID + `"}}`,
		"POST /block-storage/" + volume + ":create-snapshot": `{"name":"n","labels":{"a":"b"}}`,
		"POST /instance-pool":                                `{"name":"n","description":"d","size":1,"min-available":0,"instance-prefix":"x","user-data":"YQ==","labels":{"a":"b"},` + parts + `}`,
		"PUT /instance-pool/" + pool:                         `{"name":"n","description":"d","disk-size":60,"instance-prefix":"x","min-available":0}`,
		"PUT /instance-pool/" + pool + ":scale":              `{"size":2}`,
		"POST /load-balancer":                                `{"name":"n","description":"d","labels":{"a":"b"}}`,
		"PUT /load-balancer/" + balancer:                     `{"name":"n","description":"d","labels":{"a":"b"}}`,
		"POST /load-balancer/" + balancer + "/service":       service,
		"POST /instance": `{"name":"n","user-data":"YQ==","public-ip-assignment":"inet4","labels":{"a":"b"},
			"security-groups":[{"id":"` + *group.ID + `"}],"auto-start":true,` + parts + `}`,
		"PUT /instance/" + *i.ID:                        `{"name":"n","user-data":"YQ==","labels":{"a":"b"}}`,
		"POST /elastic-ip":                              `{"addressfamily":"inet4","description":"d","labels":{},"healthcheck":` + health + `}`,
		"PUT /elastic-ip/" + *ip.ID:                     `{"description":"d","labels":{"a":"b"}}`,
		"POST /anti-affinity-group":                     `{"name":"n","description":"d"}`,
		"POST /security-group":                          `{"name":"n","description":"d"}`,
		"POST /private-network":                         `{"name":"n","description":"d","netmask":"255.255.255.0","start-ip":"10.0.0.1","end-ip":"10.0.0.9","labels":{}}`,
		"POST /ssh-key":                                 `{"name":"n","public-key":"` + public + `"}`,
		"POST /template":                                `{"name":"n","description":"d","url":"https://images.example.com/x","checksum":"00","boot-mode":"uefi","ssh-key-enabled":true,"password-enabled":false,"default-user":"core"}`,
		"POST /dns-domain":                              `{"unicode-name":"x.example.com"}`,
		"POST /api-key":                                 `{"name":"n","role-id":"` + *role.ID + `"}`,
		"PUT /iam-role/" + *role.ID:                     `{"description":"d","permissions":[],"labels":{}}`,
		"POST /iam-role":                                `{"name":"n","description":"d","permissions":[],"editable":true,"labels":{},"policy":{"default-service-strategy":"deny","services":{"compute":{"type":"rules","rules":[{"action":"allow","expression":"true"}]}}}}`,
		"PUT /iam-organization-policy":                  `{"default-service-strategy":"allow","services":{}}`,
		"POST /security-group/" + *group.ID + "/rules":  `{"flow-direction":"ingress","protocol":"tcp","network":"0.0.0.0/0","start-port":1,"end-port":2,"description":"d"}`,
		"POST /dns-domain/" + *d.ID + "/record":         `{"name":"a","type":"A","content":"198.19.0.1","ttl":60,"priority":1}`,
		"PUT /dns-domain/" + *d.ID + "/record/" + *r.ID: `{"name":"a","content":"198.19.0.2","ttl":60,"priority":1}`,
		"POST /reverse-dns/instance/" + *i.ID:           `{"domain-name":"a.example.com"}`,
		"PUT /elastic-ip/" + *ip.ID + ":attach":         `{"instance":{"id":"` + *i.ID + `"}}`,
		"PUT /security-group/" + *group.ID + ":attach":  `{"instance":{"id":"` + *i.ID + `"}}`,
	}
}

// created makes a call and returns the ID of its reference once the operation is complete.
func (w world) created(path, body string) string {
	w.Helper()
	var operation struct {
		ID        string
		Reference struct{ ID string }
	}
	w.must(json.Unmarshal([]byte(w.accepted(http.MethodPost, path, body)), &operation))
	for strings.Contains(w.accepted(http.MethodGet, "/operation/"+operation.ID, ""), "pending") {
		<-time.After(time.Second)
	}
	return operation.Reference.ID
}

// variants returns every copy of a value with one part missing or changed.
func variants(value any) []any {
	all := []any{"", strings.Repeat("x", 40000), "nonsense", -1.0, 0.0, 1e12, 1.5, true, map[string]any{}, []any{}}
	if object, ok := value.(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			missing := maps.Clone(object)
			delete(missing, name)
			all = append(all, missing)
			for _, changed := range variants(object[name]) {
				other := maps.Clone(object)
				other[name] = changed
				all = append(all, other)
			}
		}
	}
	return all
}

// The validator of the description between this test and the API reports an invalid request that succeeds.
func TestRequests_RefusedByDescription(t *testing.T) {
	plenty := func(c *api.Config) {
		c.Quotas = map[string]int{"instance": -1, "elastic-ip": -1, "iam-key": -1, "template": -1, "private-network": -1,
			"network-load-balancer": -1, "block-storage-volume": -1, "block-storage": -1, "snapshot": -1}
	}
	inBubble(t, plenty, func(w world) {
		bodies := w.bodies()
		for _, target := range slices.Sorted(maps.Keys(bodies)) {
			body := bodies[target]
			method, path, _ := strings.Cut(target, " ")
			<-time.After(time.Minute) // lets the previous one complete
			w.accepted(method, path, body)
			var whole any
			w.must(json.Unmarshal([]byte(body), &whole))
			for _, variant := range variants(whole) {
				text, err := json.Marshal(variant)
				w.must(err)
				if status, answer := w.send(key, secret, method, path, string(text)); status >= http.StatusInternalServerError {
					t.Errorf("%s %.200s: %d %s", target, text, status, answer)
				}
			}
		}
	})
}
