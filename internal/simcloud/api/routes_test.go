package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	egoscale "github.com/exoscale/egoscale/v2"
)

func TestList_ShowsCreated(t *testing.T) {
	inBubble(t, nil, func(w world) {
		_, err := w.client.CreateAntiAffinityGroup(w.ctx(), zone, &egoscale.AntiAffinityGroup{Name: ptr("masters")})
		w.must(err)
		_, err = w.client.CreatePrivateNetwork(w.ctx(), zone, &egoscale.PrivateNetwork{Name: ptr("net")})
		w.must(err)
		w.elasticIP(nil)
		groups, err := w.client.ListAntiAffinityGroups(w.ctx(), zone)
		w.must(err)
		networks, err := w.client.ListPrivateNetworks(w.ctx(), zone)
		w.must(err)
		addresses, err := w.client.ListElasticIPs(w.ctx(), zone)
		w.must(err)
		if len(groups) != 1 || len(networks) != 1 || len(addresses) != 1 {
			t.Errorf("%d groups, %d networks, %d addresses", len(groups), len(networks), len(addresses))
		}
		for _, path := range []string{"/organization", "/event", "/deploy-target"} {
			if status, body := w.send(key, secret, http.MethodGet, path, ""); status != http.StatusOK {
				t.Errorf("%s: %d %s", path, status, body)
			}
		}
	})
}

func TestResetField_EveryField(t *testing.T) {
	inBubble(t, nil, func(w world) {
		i, err := w.instance("one", func(i *egoscale.Instance) { i.Labels = &map[string]string{"a": "1"} })
		w.must(err)
		ip := w.elasticIP(nil)
		w.accepted(http.MethodDelete, "/instance/"+*i.ID+"/labels", "")
		w.accepted(http.MethodDelete, "/elastic-ip/"+*ip.ID+"/description", "")
		i, err = w.client.GetInstance(w.ctx(), zone, *i.ID)
		w.must(err)
		ip, err = w.client.GetElasticIP(w.ctx(), zone, *ip.ID)
		w.must(err)
		if i.Labels != nil && len(*i.Labels) > 0 || ip.Description != nil {
			t.Errorf("labels %v, description %v", i.Labels, ip.Description)
		}
	})
}

// accepted makes a call that must succeed.
func (w world) accepted(method, path, body string) string {
	w.Helper()
	status, answer := w.send(key, secret, method, path, body)
	if status != http.StatusOK {
		w.Errorf("%s %s: %d %s", method, path, status, answer)
	}
	return answer
}

func TestInstance_ResetAndScaleStopped(t *testing.T) {
	inBubble(t, nil, func(w world) {
		i, err := w.instance("one", nil)
		w.must(err)
		kind, err := w.client.FindInstanceType(w.ctx(), zone, "standard.huge")
		w.must(err)
		w.refused(w.client.ScaleInstance(w.ctx(), zone, i, kind))
		w.must(w.client.RebootInstance(w.ctx(), zone, i))
		w.must(w.client.StopInstance(w.ctx(), zone, i))
		w.must(w.client.ScaleInstance(w.ctx(), zone, i, kind))
		w.must(w.client.ResetInstance(w.ctx(), zone, i))
		if got := w.api.Instances()[0]; got.Type != "standard.huge" {
			t.Errorf("type %s", got.Type)
		}
	})
}

func TestPrivateNetwork_Update(t *testing.T) {
	inBubble(t, nil, func(w world) {
		made, err := w.client.CreatePrivateNetwork(w.ctx(), zone, &egoscale.PrivateNetwork{
			Name: ptr("net"), Labels: &map[string]string{"cluster": "c"},
		})
		w.must(err)
		made.Name = ptr("other")
		w.must(w.client.UpdatePrivateNetwork(w.ctx(), zone, made))
		shown, err := w.client.GetPrivateNetwork(w.ctx(), zone, *made.ID)
		w.must(err)
		if *shown.Name != "other" || (*shown.Labels)["cluster"] != "c" {
			t.Errorf("%s %v", *shown.Name, *shown.Labels)
		}
		if body := w.accepted(http.MethodGet, "/private-network/"+*made.ID, ""); strings.Contains(body, "leases") {
			t.Errorf("empty leases are shown: %s", body)
		}
	})
}

func TestSecurityGroup_ExternalSources(t *testing.T) {
	inBubble(t, nil, func(w world) {
		group := w.group("world | of names")
		if body := w.accepted(http.MethodGet, "/security-group/"+*group.ID, ""); strings.Contains(body, "rules") || strings.Contains(body, "sources") {
			t.Errorf("empty lists are shown: %s", body)
		}
		w.must(w.client.AddExternalSourceToSecurityGroup(w.ctx(), zone, group, "192.0.2.0/24"))
		w.must(w.client.AddExternalSourceToSecurityGroup(w.ctx(), zone, group, "203.0.113.0/24"))
		w.must(w.client.RemoveExternalSourceFromSecurityGroup(w.ctx(), zone, group, "192.0.2.0/24"))
		shown, err := w.client.GetSecurityGroup(w.ctx(), zone, *group.ID)
		w.must(err)
		if !slices.Equal(*shown.ExternalSources, []string{"203.0.113.0/24"}) {
			t.Errorf("sources: %v", *shown.ExternalSources)
		}
	})
}

func TestElasticIP_ReverseDNS(t *testing.T) {
	inBubble(t, nil, func(w world) {
		ip := w.elasticIP(nil)
		w.must(w.client.UpdateElasticIPReverseDNS(w.ctx(), zone, *ip.ID, "api.example.com."))
		name, err := w.client.GetElasticIPReverseDNS(w.ctx(), zone, *ip.ID)
		w.must(err)
		if name != "api.example.com." {
			t.Errorf("name %s", name)
		}
	})
}

func TestTemplate_Rename(t *testing.T) {
	inBubble(t, nil, func(w world) {
		w.images["https://images.example.com/x.qcow2"] = []byte("QFI\xfb")
		made, err := w.client.RegisterTemplate(w.ctx(), zone, &egoscale.Template{
			Name: ptr("one"), URL: ptr("https://images.example.com/x.qcow2"), Checksum: ptr(md5sum([]byte("QFI\xfb"))),
			SSHKeyEnabled: ptr(true), PasswordEnabled: ptr(false),
		})
		w.must(err)
		made.Name = ptr("other")
		w.must(w.client.UpdateTemplate(w.ctx(), zone, made))
		shown, err := w.client.GetTemplate(w.ctx(), zone, *made.ID)
		w.must(err)
		if *shown.Name != "other" {
			t.Errorf("name %s", *shown.Name)
		}
	})
}
