package exoscale_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/exoscale/egoscale/v2/api"

	"exoshift/state"
)

// raw requests what the client does not create, waits for the operation and returns the ID of its object.
func (w *world) raw(ctx context.Context, method, path string, body any) string {
	w.t.Helper()
	var answer struct {
		ID, State, Key string
		Reference      struct{ ID string }
	}
	w.ask(ctx, method, path, body, &answer)
	for operation := answer.ID; answer.State == "pending"; {
		w.check(w.net.Clock.Sleep(ctx, time.Second))
		w.ask(ctx, http.MethodGet, "/operation/"+operation, nil, &answer)
	}
	if answer.State != "success" && answer.Key == "" {
		w.t.Fatalf("%s %s: %+v", method, path, answer)
	}
	return answer.Reference.ID + answer.Key
}

func (w *world) ask(ctx context.Context, method, path string, body, into any) {
	w.t.Helper()
	content, err := json.Marshal(body)
	w.check(err)
	request, err := http.NewRequestWithContext(ctx, method, "https://api-"+zone+".exoscale.com/v2"+path, bytes.NewReader(content))
	w.check(err)
	signer, err := api.NewSecurityProvider(key, secret)
	w.check(err)
	w.check(signer.Intercept(ctx, request))
	client := w.net.NewClient()
	defer client.CloseIdleConnections()
	answer, err := client.Do(request)
	w.check(err)
	defer func() { _ = answer.Body.Close() }()
	content, err = io.ReadAll(answer.Body)
	w.check(err)
	if answer.StatusCode != http.StatusOK {
		w.t.Fatalf("%s %s: %s %s", method, path, answer.Status, content)
	}
	w.check(json.Unmarshal(content, into))
}

// registerKey registers an SSH key, which only earlier versions did.
func (w *world) registerKey(ctx context.Context) {
	w.t.Helper()
	w.raw(ctx, http.MethodPost, "/ssh-key", map[string]any{"name": "operator", "public-key": publicKey})
}

func (w *world) the(ctx context.Context, kind, name string) state.Object {
	w.t.Helper()
	all, err := w.ListObjects(ctx)
	w.check(err)
	for _, o := range all {
		if o.Kind == kind && o.Name == name {
			return o
		}
	}
	w.t.Fatalf("no %s %s in %+v", kind, name, all)
	return state.Object{}
}
