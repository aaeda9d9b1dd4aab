package conformance

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"exoshift/internal/app/conformance/har"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/state"
)

func TestRecording_ExchangesWithoutSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.har")
	var keys []string // of the cluster
	inWorld(t, simcloud.Options{}, func(w *world) {
		others, err := connect(w.options, state.NoJournal{})
		w.must(err)
		defer others.close()
		_, _, err = others.cloud.EnsureAntiAffinityGroup(w.Context(), "c-foreign_master", "of somebody else")
		w.must(err)
		_, err = others.storage.EnsureBucket(w.Context(), "c-foreign-logstore")
		w.must(err)
		w.options.Record, w.options.Version = path, "1.2.3"
		w.run()
	})
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	checkArchive(t, content)
	for _, text := range append([]string{key, secret, "c-foreign", "somebody else", "192.0.2.10"}, keys...) {
		if at := strings.Index(string(content), text); at >= 0 {
			t.Errorf("%q is told: %s", text, content[max(0, at-200):min(len(content), at+80)])
		}
	}
	for _, pattern := range []string{`X-Amz-Signature=[^(]`, `"secret\\?":\\?"[^(]`, `"user-data\\?":\\?"[^(]`, `signature=[^(]`, `Credential=[^(]`} {
		if at := regexp.MustCompile(pattern).FindIndex(content); at != nil {
			t.Errorf("%s: %s", pattern, content[max(0, at[0]-100):min(len(content), at[1]+80)])
		}
	}
	archive, err := har.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{
		"POST https://api-ch-gva-2.exoscale.com/v2/template", "POST https://api-ch-gva-2.exoscale.com/v2/api-key", "PUT https://sos-ch-gva-2.exo.io/",
		"GET https://api-ch-gva-2.exoscale.com/v2/operation/", "DELETE https://api-ch-gva-2.exoscale.com/v2/instance/", "GET http://198.19.",
	} {
		found := false
		for _, e := range archive.Log.Entries {
			found = found || strings.HasPrefix(e.Request.Method+" "+e.Request.URL, call)
		}
		if !found {
			t.Errorf("%s is missing", call)
		}
	}
	var run recordedRun
	if err := json.Unmarshal(archive.Log.Run, &run); err != nil || run.Zone != zoneName || len(run.Verdicts) != len(IDs()) {
		t.Errorf("%v: %+v", err, run)
	}
	if archive.Log.Creator != (har.Creator{Name: "exoshift", Version: "1.2.3"}) {
		t.Errorf("%+v", archive.Log.Creator)
	}
}

// checkArchive holds a document against the rules of HAR 1.2: what has to be there, of what type, and that nothing else is.
func checkArchive(t *testing.T, content []byte) {
	t.Helper()
	var document any
	if err := json.Unmarshal(content, &document); err != nil {
		t.Fatal(err)
	}
	pair := map[string]any{"name": "", "value": ""}
	follow(t, "", document, map[string]any{"log": map[string]any{
		"version": "", "creator": map[string]any{"name": "", "version": ""}, "comment?": "", "entries": []any{map[string]any{
			"startedDateTime": "", "time": 0.0, "cache": map[string]any{},
			"timings": map[string]any{"send": 0.0, "wait": 0.0, "receive": 0.0},
			"request": map[string]any{
				"method": "", "url": "", "httpVersion": "", "cookies": []any{pair}, "headers": []any{pair}, "queryString": []any{pair},
				"postData?":   map[string]any{"mimeType": "", "params": []any{pair}, "text": ""},
				"headersSize": 0.0, "bodySize": 0.0,
			},
			"response": map[string]any{
				"status": 0.0, "statusText": "", "httpVersion": "", "cookies": []any{pair}, "headers": []any{pair},
				"content": map[string]any{"size": 0.0, "mimeType": "", "text?": ""}, "redirectURL": "", "headersSize": 0.0, "bodySize": 0.0,
			},
		}},
	}})
}

// follow compares a value with a schema by example; a name that ends with ? may be missing, one that begins with _ is free.
func follow(t *testing.T, at string, value, schema any) {
	t.Helper()
	switch want := schema.(type) {
	case map[string]any:
		object, is := value.(map[string]any)
		if !is {
			t.Fatalf("%s is %T", at, value)
		}
		for name := range object {
			if _, known := want[name]; !known && want[name+"?"] == nil && !strings.HasPrefix(name, "_") {
				t.Errorf("%s.%s is not of the format", at, name)
			}
		}
		for name, part := range want {
			plain, optional := strings.CutSuffix(name, "?")
			if member, there := object[plain]; there {
				follow(t, at+"."+plain, member, part)
			} else if !optional {
				t.Errorf("%s.%s is missing", at, plain)
			}
		}
	case []any:
		list, is := value.([]any)
		if !is {
			t.Fatalf("%s is %T", at, value)
		}
		for i, element := range list {
			follow(t, fmt.Sprintf("%s[%d]", at, i), element, want[0])
		}
	default:
		if fmt.Sprintf("%T", value) != fmt.Sprintf("%T", schema) {
			t.Errorf("%s is %T, want %T", at, value, schema)
		}
	}
}

func TestRecording_UnwritableStopsRun(t *testing.T) {
	inWorld(t, simcloud.Options{}, func(w *world) {
		w.options.Record = filepath.Join(w.TempDir(), "missing", "run.har")
		_, err := Run(w.Context(), w.options)
		if !fault.Is(err, fault.Invalid) || w.zone.Mutations() > 0 {
			w.Errorf("%v, %d changes", err, w.zone.Mutations())
		}
		if _, err := os.Stat(w.options.Record); !os.IsNotExist(err) && err != fs.ErrNotExist { //nolint:errorlint // only whether it is there
			w.Error(err)
		}
	})
}
