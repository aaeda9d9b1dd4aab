package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/exoscale/egoscale/v2/api"

	"exoshift/internal/app/run"
	"exoshift/provisioner/objects"
	"exoshift/state"
)

// backdoor changes the cloud by its API, without the program.
type backdoor struct {
	t *testing.T
	s run.Run
}

// ask waits for the operation that a change starts, and returns the first response.
func (b backdoor) ask(method, path string, body any) map[string]any {
	b.t.Helper()
	status, answer := b.try(method, path, body)
	if status != http.StatusOK {
		b.t.Fatalf("%s %s: %d %v", method, path, status, answer)
	}
	for operation := answer; operation["state"] == "pending"; {
		b.check(b.s.Net.Clock.Sleep(b.t.Context(), time.Second))
		_, operation = b.try(http.MethodGet, "/operation/"+operation["id"].(string), nil)
		if operation["state"] == "failure" {
			b.t.Fatalf("%s %s: %v", method, path, operation)
		}
	}
	return answer
}

func (b backdoor) try(method, path string, body any) (status int, answer map[string]any) {
	b.t.Helper()
	content, err := json.Marshal(body)
	b.check(err)
	request, err := http.NewRequestWithContext(b.t.Context(), method, "https://api-"+b.s.Spec.Exoscale.Zone+".exoscale.com/v2"+path, bytes.NewReader(content))
	b.check(err)
	request.Header.Set("Content-Type", "application/json")
	signer, err := api.NewSecurityProvider(b.s.Secrets.APIKey, b.s.Secrets.APISecret)
	b.check(err)
	b.check(signer.Intercept(b.t.Context(), request))
	client := b.s.Net.NewClient()
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	b.check(err)
	defer func() { _ = response.Body.Close() }()
	b.check(json.NewDecoder(response.Body).Decode(&answer))
	return response.StatusCode, answer
}

func (b backdoor) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b backdoor) list(path, collection string) []map[string]any {
	b.t.Helper()
	var objects []map[string]any
	for _, object := range b.ask(http.MethodGet, path, nil)[collection].([]any) {
		objects = append(objects, object.(map[string]any))
	}
	return objects
}

// id finds an object by its name or another identifying field.
func (b backdoor) id(path, collection, field, name string) string {
	b.t.Helper()
	for _, object := range b.list(path, collection) {
		if object[field] == name {
			return object["id"].(string)
		}
	}
	b.t.Fatalf("there is no %s in %s", name, path)
	return ""
}

// bucket creates a bucket tagged with its owner, unless that is "", with one object, unless key is "".
func (b backdoor) bucket(owner, name, key string) {
	b.t.Helper()
	storage, err := objects.New(b.s.Net, b.s.Spec.Exoscale.Zone, b.s.Secrets.APIKey, b.s.Secrets.APISecret, state.NoJournal{})
	b.check(err)
	defer storage.Close()
	_, err = storage.WithOwner(owner).EnsureBucket(b.t.Context(), name)
	b.check(err)
	if key != "" {
		_, err = storage.EnsureObject(b.t.Context(), name, key, []byte("content"))
		b.check(err)
	}
}
