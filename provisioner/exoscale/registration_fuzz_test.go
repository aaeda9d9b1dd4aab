package exoscale

import (
	"encoding/json"
	"testing"
)

func FuzzEvent(f *testing.F) {
	f.Add([]byte(`[{"timestamp": "2026-05-04T14:02:00Z", "uri": "/v2/template", "body-params": {"name": "a"}}]`))
	f.Add([]byte(`[{"status": 403, "handler": "register-template", "body-params": {"name": "a"}}, {"body-params": 1}]`))
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, body []byte) {
		var trail []event
		if json.Unmarshal(body, &trail) != nil {
			return
		}
		for _, e := range trail {
			if e.isRegistration("a") && (e.Status >= 400 || !json.Valid(e.Body)) {
				t.Fatalf("%s registers a template", e.Body)
			}
		}
	})
}
