package api_test

import (
	"net"
	"net/http"
	"testing"

	egoscale "github.com/exoscale/egoscale/v2"

	"exoshift/internal/simcloud/api"
)

func TestAPIKey_OfRole(t *testing.T) {
	inBubble(t, nil, func(w world) {
		role, err := w.client.CreateIAMRole(w.ctx(), zone, &egoscale.IAMRole{
			Name: ptr("ccm"), Editable: ptr(true), Labels: map[string]string{"cluster": "c"},
			Policy: &egoscale.IAMPolicy{DefaultServiceStrategy: "deny", Services: map[string]egoscale.IAMPolicyService{
				"compute": {Type: ptr("allow")},
			}},
		})
		w.must(err)
		if role.Policy.DefaultServiceStrategy != "deny" || role.Labels["cluster"] != "c" {
			t.Errorf("%+v", role)
		}
		made, secret, err := w.client.CreateAPIKey(w.ctx(), zone, &egoscale.APIKey{Name: ptr("ccm"), RoleID: role.ID})
		w.must(err)
		client, err := egoscale.NewClient(*made.Key, secret,
			egoscale.ClientOptWithHTTPClient(&http.Client{Transport: direct{handler: w.validated()}}))
		w.must(err)
		_, err = client.ListInstances(w.ctx(), zone)
		w.must(err)
		w.refused(w.client.DeleteIAMRole(w.ctx(), zone, role))
		w.must(w.client.DeleteAPIKey(w.ctx(), zone, made))
		_, err = client.ListInstances(w.ctx(), zone)
		w.refused(err)
		w.must(w.client.DeleteIAMRole(w.ctx(), zone, role))
	})
}

func TestCredentials_Refused(t *testing.T) {
	refuse := func(c *api.Config) { c.RefuseCredentials = true }
	inBubble(t, refuse, func(w world) {
		_, err := w.client.ListInstances(w.ctx(), zone)
		w.refused(err)
	})
}

func TestAntiAffinityGroup_DeletionHasNoReference(t *testing.T) {
	inBubble(t, nil, func(w world) {
		group, err := w.client.CreateAntiAffinityGroup(w.ctx(), zone, &egoscale.AntiAffinityGroup{Name: ptr("g")})
		w.must(err)
		answer, err := w.client.DeleteAntiAffinityGroupWithResponse(w.ctx(), *group.ID)
		w.must(err)
		if answer.JSON200.Reference == nil {
			t.Errorf("no reference while pending: %s", answer.Body)
		}
		<-w.api.Changed()
		for {
			op, err := w.client.GetOperationWithResponse(w.ctx(), *answer.JSON200.Id)
			w.must(err)
			if *op.JSON200.State == "pending" {
				w.elasticIPs() // lets time pass
				continue
			}
			if op.JSON200.Reference != nil {
				t.Errorf("finished: %s", op.Body)
			}
			return
		}
	})
}

// elasticIPs creates and deletes an elastic IP, which takes some seconds.
func (w world) elasticIPs() { w.must(w.client.DeleteElasticIP(w.ctx(), zone, w.elasticIP(nil))) }

func TestPrivateNetwork_KeptWhileAttached(t *testing.T) {
	inBubble(t, nil, func(w world) {
		first, last, mask := net.ParseIP("10.0.0.10"), net.ParseIP("10.0.0.20"), net.ParseIP("255.255.255.0")
		_, err := w.client.CreatePrivateNetwork(w.ctx(), zone, &egoscale.PrivateNetwork{
			Name: ptr("backwards"), StartIP: &last, EndIP: &first, Netmask: &mask,
		})
		w.refused(err)
		made, err := w.client.CreatePrivateNetwork(w.ctx(), zone, &egoscale.PrivateNetwork{
			Name: ptr("net"), StartIP: &first, EndIP: &last, Netmask: &mask,
		})
		w.must(err)
		i, _ := w.machine("one")
		w.must(w.client.AttachInstanceToPrivateNetwork(w.ctx(), zone, i, made, egoscale.AttachInstanceToPrivateNetworkWithIPAddress(first)))
		shown, err := w.client.GetPrivateNetwork(w.ctx(), zone, *made.ID)
		w.must(err)
		if len(shown.Leases) != 1 || *shown.Leases[0].InstanceID != *i.ID {
			t.Errorf("leases: %+v", shown.Leases)
		}
		w.refused(w.client.DeletePrivateNetwork(w.ctx(), zone, made))
		w.must(w.client.DetachInstanceFromPrivateNetwork(w.ctx(), zone, i, made))
		w.must(w.client.DeletePrivateNetwork(w.ctx(), zone, made))
	})
}
