package har_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"exoshift/internal/app/conformance/har"
	"exoshift/internal/fault"
)

// FuzzRead: a recording that is read is the same when it is written and read again.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "null", "{}", `{"log":{"version":"1.2"}}`, `{"log":{"version":"1.1"}}`, `{"log":{"version":"1.2","entries":[null,{}]}}`,
		`{"log":{"version":"1.2","entries":[{"request":{"url":"%zz","postData":{}},"response":{"content":{"text":"{"}},"time":1e400}]}}`, "\ufeff{}", "\xff", "[[[[",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "recording.har")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		archive, err := har.Read(path)
		if err != nil {
			if !fault.Is(err, fault.Invalid) || fault.HintOf(err) == "" {
				t.Fatalf("kind %d: %v", fault.KindOf(err), err)
			}
			return
		}
		if err := archive.Write(path); err != nil {
			t.Fatal(err)
		}
		again, err := har.Read(path)
		want, _ := json.Marshal(archive)
		if got, _ := json.Marshal(again); err != nil || string(got) != string(want) {
			t.Fatalf("%s became %s: %v", want, got, err)
		}
	})
}
