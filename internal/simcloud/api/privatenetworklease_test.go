package api_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const managedNetwork = `{"name":"net","start-ip":"10.0.0.10","end-ip":"10.0.0.20","netmask":"255.255.255.0","labels":{"a":"1"},
	"options":{"routers":["10.0.0.1"],"domain-search":["example.com"]}}`

func TestLease_UniqueInNetwork(t *testing.T) {
	inBubble(t, nil, func(w world) {
		one, _ := w.machine("one")
		two, _ := w.machine("two")
		path := "/private-network/" + w.do(http.MethodPost, "/private-network", managedNetwork)
		lease := func(id, ip string) string { return `{"instance":{"id":"` + id + `"},"ip":"` + ip + `"}` }
		w.do(http.MethodPut, path+":attach", lease(*one.ID, "10.0.0.11"))
		w.refuses(http.StatusConflict, "leased", http.MethodPut, path+":attach", lease(*two.ID, "10.0.0.11"))
		w.refuses(http.StatusBadRequest, "range", http.MethodPut, path+":attach", lease(*two.ID, "10.0.1.11"))
		w.refuses(http.StatusConflict, "not attached", http.MethodPut, path+":update-ip", lease(*two.ID, "10.0.0.12"))
		w.do(http.MethodPut, path+":update-ip", lease(*one.ID, "10.0.0.200"))
		want := []any{document{"ip": "10.0.0.200", "instance-id": *one.ID}}
		if diff := cmp.Diff(want, w.get(path)["leases"]); diff != "" {
			t.Error(diff)
		}
		plain := "/private-network/" + w.do(http.MethodPost, "/private-network", `{"name":"plain"}`)
		w.refuses(http.StatusBadRequest, "managed", http.MethodPut, plain+":attach", lease(*one.ID, "10.0.0.11"))
	})
}

func TestPrivateNetwork_KeepsOptions(t *testing.T) {
	inBubble(t, nil, func(w world) {
		path := "/private-network/" + w.do(http.MethodPost, "/private-network", managedNetwork)
		w.do(http.MethodPut, path, `{"description":"d"}`)
		want := document{"routers": []any{"10.0.0.1"}, "domain-search": []any{"example.com"}}
		if diff := cmp.Diff(want, w.get(path)["options"]); diff != "" {
			t.Error(diff)
		}
		w.do(http.MethodPut, path, `{"options":{"routers":["10.0.0.2"]}}`)
		w.do(http.MethodDelete, path+"/labels", "")
		got := w.get(path)
		if diff := cmp.Diff(document{"routers": []any{"10.0.0.2"}}, got["options"]); diff != "" || got["labels"] != nil {
			t.Error(diff, got)
		}
	})
}
