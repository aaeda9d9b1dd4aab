package api_test

import (
	"net/http"
	"testing"
)

func TestRoutedAddresses_RouterOnly(t *testing.T) {
	inBubble(t, nil, func(w world) {
		const managed = `"netmask":"255.255.255.0","start-ip":"172.18.0.64","end-ip":"172.18.0.254"`
		quiet := w.do(http.MethodPost, "/private-network", `{"name":"quiet",`+managed+`}`)
		routed := w.do(http.MethodPost, "/private-network", `{"name":"routed",`+managed+`,"options":{"routers":["172.18.0.1"]}}`)
		w.pool(2, `,"private-networks":[{"id":"`+quiet+`"}]`)
		if all := w.api.RoutedAddresses(); len(all) > 0 {
			t.Errorf("without a router: %v", all)
		}
		pool := w.pool(2, `,"private-networks":[{"id":"`+routed+`"}]`)
		all := w.api.RoutedAddresses()
		for at, member := range w.members(pool) {
			if want := []string{"172.18.0.64", "172.18.0.65"}[at]; all[member].String() != want {
				t.Errorf("member %d has the address %s", at, all[member])
			}
		}
	})
}
