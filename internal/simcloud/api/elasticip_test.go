package api_test

import (
	"net/netip"
	"testing"
	"time"

	egoscale "github.com/exoscale/egoscale/v2"
)

func (w world) elasticIP(change func(*egoscale.ElasticIP)) *egoscale.ElasticIP {
	w.Helper()
	ip := &egoscale.ElasticIP{Description: ptr("api"), Labels: &map[string]string{"cluster": "c"}}
	if change != nil {
		change(ip)
	}
	made, err := w.client.CreateElasticIP(w.ctx(), zone, ip)
	w.must(err)
	return made
}

func TestElasticIP_RoutesToAttached(t *testing.T) {
	inBubble(t, nil, func(w world) {
		ip := w.elasticIP(nil)
		address := netip.MustParseAddr(ip.IPAddress.String())
		if !netip.MustParsePrefix("198.19.0.0/16").Contains(address) || (*ip.Labels)["cluster"] != "c" {
			t.Errorf("%v %v", address, ip.Labels)
		}
		one, first := w.machine("one")
		two, second := w.machine("two")
		w.must(w.client.AttachInstanceToElasticIP(w.ctx(), zone, one, ip))
		w.must(w.client.AttachInstanceToElasticIP(w.ctx(), zone, two, ip))
		w.must(w.client.AttachInstanceToElasticIP(w.ctx(), zone, two, ip)) // attaching twice is idempotent
		model, ok := w.api.ElasticIP(address)
		if !ok || len(model.Instances) != 2 || model.Instances[0] != first || model.Instances[1] != second {
			t.Errorf("%+v %v", model, ok)
		}
		shown, err := w.client.GetInstance(w.ctx(), zone, *one.ID)
		w.must(err)
		if shown.ElasticIPIDs == nil || (*shown.ElasticIPIDs)[0] != *ip.ID {
			t.Errorf("the instance does not show it: %v", shown.ElasticIPIDs)
		}
		w.refused(w.client.DeleteElasticIP(w.ctx(), zone, ip))
		w.must(w.client.DetachInstanceFromElasticIP(w.ctx(), zone, one, ip))
		w.refused(w.client.DetachInstanceFromElasticIP(w.ctx(), zone, one, ip))
		w.must(w.client.DeleteInstance(w.ctx(), zone, two)) // detaches it
		w.must(w.client.DeleteElasticIP(w.ctx(), zone, ip))
		if _, ok := w.api.ElasticIP(address); ok {
			t.Error("still there")
		}
	})
}

func TestElasticIP_HealthcheckDefaults(t *testing.T) {
	inBubble(t, nil, func(w world) {
		health := &egoscale.ElasticIPHealthcheck{
			Mode: ptr("https"), Port: ptr(uint16(6443)), URI: ptr("/readyz"),
			Interval: ptr(10 * time.Second), Timeout: ptr(5 * time.Second),
		}
		ip := w.elasticIP(func(ip *egoscale.ElasticIP) { ip.Healthcheck = health })
		model := w.api.ElasticIPs()[0].Healthcheck
		if model == nil || model.Port != 6443 || model.Interval != 10*time.Second || model.StrikesFail != 3 || model.StrikesOK != 2 {
			t.Errorf("%+v", model)
		}
		ip.Healthcheck.Port, ip.Description = ptr(uint16(8443)), ptr("other")
		w.must(w.client.UpdateElasticIP(w.ctx(), zone, ip))
		ip.Healthcheck.Mode = ptr("tcp")
		w.refused(w.client.UpdateElasticIP(w.ctx(), zone, ip))
		plain := w.elasticIP(nil)
		plain.Healthcheck = health
		w.refused(w.client.UpdateElasticIP(w.ctx(), zone, plain))
	})
}

func TestElasticIP_QuotaIsFive(t *testing.T) {
	inBubble(t, nil, func(w world) {
		for range 5 {
			w.elasticIP(nil)
		}
		_, err := w.client.CreateElasticIP(w.ctx(), zone, &egoscale.ElasticIP{})
		w.refused(err)
	})
}

func TestReverseDNS_OfAddresses(t *testing.T) {
	inBubble(t, nil, func(w world) {
		i, _ := w.machine("one")
		_, err := w.client.GetInstanceReverseDNS(w.ctx(), zone, *i.ID)
		w.missing(err)
		w.must(w.client.UpdateInstanceReverseDNS(w.ctx(), zone, *i.ID, "one.example.com."))
		name, err := w.client.GetInstanceReverseDNS(w.ctx(), zone, *i.ID)
		w.must(err)
		if name != "one.example.com." {
			t.Errorf("name %s", name)
		}
		w.must(w.client.DeleteInstanceReverseDNS(w.ctx(), zone, *i.ID))
		ip := w.elasticIP(nil)
		w.must(w.client.UpdateElasticIPReverseDNS(w.ctx(), zone, *ip.ID, "api.example.com"))
		w.must(w.client.DeleteElasticIPReverseDNS(w.ctx(), zone, *ip.ID))
		_, err = w.client.GetElasticIPReverseDNS(w.ctx(), zone, *ip.ID)
		w.missing(err)
	})
}
