package wizard

import (
	"fmt"
	"testing"
	"time"

	"exoshift/tui/tuitest"
	"exoshift/wizard"
)

// openNetwork returns the driver of the wizard on the network screen, with the cursor on a field.
func openNetwork(t *testing.T, key string, width, height int) *driver {
	t.Helper()
	o := openWizard(t, newInterview().answer(t, completeAnswers()), width, height, nil)
	o.Advance(3 * time.Second)
	return o.openPage(t, wizard.Network).focus(t, key)
}

func TestNetwork_Capacity(t *testing.T) {
	for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
		o := openNetwork(t, "network.podCIDR", size[0], size[1])
		o.Shows(t, "Room for 512 nodes of 510 pods each (13 needed)", "65,534 services", "10.128.0.0/14", "▓")
	}
}

func TestNetwork_PictureFollowsEdit(t *testing.T) {
	o := openNetwork(t, "network.hostPrefix", 80, 24).Press("backspace")
	o.Shows(t, "once the ranges are valid") // a prefix of 2 is shorter than that of all pods
	o.Type("5")
	o.Shows(t, "Room for 2,048 nodes of 126 pods each")
	if got := o.session.Spec().Network.HostPrefix; got != 23 {
		t.Errorf("what is being typed is stored: %d", got)
	}
}

func TestNetwork_OverlapWhileTyping(t *testing.T) {
	o := openNetwork(t, "network.customerNetworks", 80, 24).Type("10.130.0.0/24")
	o.Shows(t, "✗ Pod network", "✗ Customer network", "×", "Pod network (10.128.0.0/14) overlaps Customer network")
	o.Press("backspace", "backspace", "backspace")
	o.Shows(t, "10.130.0.0_", "✗ Customer network") // an invalid range does not change the picture
	if got := o.session.Spec().Network.CustomerNetworks; got != nil {
		t.Errorf("what is being typed is stored: %v", got)
	}
}

func TestNetwork_PluginRanges(t *testing.T) {
	o := openNetwork(t, "network.podCIDR", 120, 40)
	o.Shows(t, "OVN join", "OVN transit", "OVN masquerade")
	if err := o.session.Set("network.cni", "Cilium"); err != nil {
		t.Fatal(err)
	}
	o.Hides(t, "OVN join")
}

func TestNetwork_TooFewSubnets(t *testing.T) {
	o := openNetwork(t, "network.hostPrefix", 80, 24).Press("backspace", "backspace").Type("16")
	o.Shows(t, "✗ Room for 4 nodes", "13 needed")
}

func TestNetwork_DNSDelegation(t *testing.T) {
	o := openNetwork(t, "dns.delegation", 120, 40)
	o.Shows(t, "api.c-demo-1.example.net", "*.apps.c-demo-1.example.net", "NS records", "and assigns its name")
	if err := o.session.Set("dns.appsDomain", "apps.example.org"); err != nil {
		t.Fatal(err)
	}
	o.Shows(t, "*.apps.example.org", "Point *.")
	small := openNetwork(t, "dns.delegation", 80, 24)
	small.Shows(t, "Exoscale creates the zone", "adds them as NS records")
}

func TestNetwork_Golden(t *testing.T) {
	checks := map[string]func(*testing.T, *driver){
		"network":         func(*testing.T, *driver) {},
		"network-overlap": func(_ *testing.T, o *driver) { o.Type("10.130.0.0/24, 192.168.0.0/16") },
		"network-pods":    func(t *testing.T, o *driver) { o.focus(t, "network.podCIDR") },
	}
	for name, act := range checks {
		for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
			for _, ascii := range []bool{false, true} {
				if ascii && size[0] != 80 {
					continue
				}
				o := openWizard(t, newInterview().answer(t, completeAnswers()), size[0], size[1], func(w *Options) { w.ASCII = ascii })
				o.Advance(3 * time.Second)
				act(t, o.openPage(t, wizard.Network))
				look := fmt.Sprintf("%s-%dx%d", name, size[0], size[1])
				if ascii {
					look += "-ascii"
				}
				tuitest.Golden(t, look, o.View())
			}
		}
	}
}
