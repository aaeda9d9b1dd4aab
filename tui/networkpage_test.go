package tui

import (
	"fmt"
	"testing"
	"time"

	"exoshift/tui/tuitest"
	"exoshift/wizard"
)

// atNetwork returns an operator on the network screen, with the cursor on a field.
func atNetwork(t *testing.T, key string, width, height int) *operator {
	t.Helper()
	o := sit(t, newDesk().answer(t, whole()), width, height, nil)
	o.pass(3 * time.Second)
	return o.at(t, wizard.Network).on(t, key)
}

func TestWhatTheRangesHoldIsAlwaysSeen(t *testing.T) {
	for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
		o := atNetwork(t, "network.podCIDR", size[0], size[1])
		o.sees(t, "Room for 512 nodes of 510 pods each (13 wanted)", "65,534 services", "10.128.0.0/14", "▓")
	}
}

func TestThePictureFollowsEveryKeyOfAGoodValue(t *testing.T) {
	o := atNetwork(t, "network.hostPrefix", 80, 24).press("backspace")
	o.sees(t, "once they fit together") // a prefix of 2 is shorter than that of all pods
	o.types("5")
	o.sees(t, "Room for 2,048 nodes of 126 pods each")
	if got := o.session.Spec().Network.HostPrefix; got != 23 {
		t.Errorf("what is being typed is stored: %d", got)
	}
}

func TestAnOverlapIsDrawnAndToldWhileItIsTyped(t *testing.T) {
	o := atNetwork(t, "network.customerNetworks", 80, 24).types("10.130.0.0/24")
	o.sees(t, "✗ Pod network", "✗ Customer network", "×", "Pod network (10.128.0.0/14) overlaps Customer network")
	o.press("backspace", "backspace", "backspace")
	o.sees(t, "10.130.0.0_", "✗ Customer network") // an invalid range does not change the picture
	if got := o.session.Spec().Network.CustomerNetworks; got != nil {
		t.Errorf("what is being typed is stored: %v", got)
	}
}

func TestRangesOfThePluginAreThereOnlyWithIt(t *testing.T) {
	o := atNetwork(t, "network.podCIDR", 120, 40)
	o.sees(t, "OVN join", "OVN transit", "OVN masquerade")
	if err := o.session.Set("network.cni", "Cilium"); err != nil {
		t.Fatal(err)
	}
	o.seesNot(t, "OVN join")
}

func TestTooFewPiecesForTheNodesAreRed(t *testing.T) {
	o := atNetwork(t, "network.hostPrefix", 80, 24).press("backspace", "backspace").types("16")
	o.sees(t, "✗ Room for 4 nodes", "13 wanted")
}

func TestTheDelegationIsExplained(t *testing.T) {
	o := atNetwork(t, "dns.delegation", 120, 40)
	o.sees(t, "api.c-demo-1.example.net", "*.apps.c-demo-1.example.net", "NS records", "only then names its name")
	if err := o.session.Set("dns.appsDomain", "apps.example.org"); err != nil {
		t.Fatal(err)
	}
	o.sees(t, "*.apps.example.org", "Somebody leads")
	small := atNetwork(t, "dns.delegation", 80, 24)
	small.sees(t, "Exoscale makes the zone", "adds them there as NS records")
}

func TestTheNetworkScreenLooksAsRecorded(t *testing.T) {
	looks := map[string]func(*testing.T, *operator){
		"network":         func(*testing.T, *operator) {},
		"network-overlap": func(_ *testing.T, o *operator) { o.types("10.130.0.0/24, 192.168.0.0/16") },
		"network-pods":    func(t *testing.T, o *operator) { o.on(t, "network.podCIDR") },
	}
	for name, act := range looks {
		for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
			for _, ascii := range []bool{false, true} {
				if ascii && size[0] != 80 {
					continue
				}
				o := sit(t, newDesk().answer(t, whole()), size[0], size[1], func(w *Wizard) { w.ASCII = ascii })
				o.pass(3 * time.Second)
				act(t, o.at(t, wizard.Network))
				look := fmt.Sprintf("%s-%dx%d", name, size[0], size[1])
				if ascii {
					look += "-ascii"
				}
				tuitest.Golden(t, look, o.View())
			}
		}
	}
}
