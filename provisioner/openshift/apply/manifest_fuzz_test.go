package apply

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"exoshift/internal/fault"
)

// FuzzDecodeManifests checks that decoded objects have names and no fields that only an API server writes, and that no error
// quotes them.
func FuzzDecodeManifests(f *testing.F) {
	for _, seed := range []string{
		"apiVersion: v1\nkind: Secret\nmetadata: {name: a, uid: b}\nstringData: {password: x, other: 1}\nstatus: {}\n---\n# nothing\n---\nnull\n", `{"apiVersion": "v1", "kind": "List", "items": [null, {"kind": "A"}, 1]}`,
		`{"apiVersion": "v1", "kind": "SecretList", "items": {}}`, `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "managedFields": 1}, "stringData": {"a": null}, "data": []}`, "a: &a [*a]", "[", "", "\xff", "kind: 1", "--- ---", `{"a"`,
		`{"apiVersion": "a/b/c", "kind": "X", "metadata": {"name": "a"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		const secret = "very-secret-value"
		if _, err := decodeManifests(append(bytes.Clone(content), secret...)); err != nil && (strings.Contains(err.Error(), secret) || !fault.Is(err, fault.Invalid)) {
			t.Fatalf("%q is told as %q", content, err)
		}
		objects, err := decodeManifests(content)
		if err != nil {
			return
		}
		var again bytes.Buffer
		for _, object := range objects {
			metadata := object.Object["metadata"].(map[string]any)
			if object.GetName() == "" || object.GetKind() == "" || object.GetAPIVersion() == "" || object.Object["status"] != nil || metadata["uid"] != nil || metadata["managedFields"] != nil {
				t.Fatalf("%v is applied", object)
			}
			if object.GetKind() == "Secret" && object.GetAPIVersion() == "v1" && object.Object["stringData"] != nil {
				t.Fatalf("%v has plain text", object)
			}
			document, err := json.Marshal(object.Object)
			if err != nil {
				t.Fatal(err)
			}
			again.Write(append(document, "\n---\n"...))
		}
		second, err := decodeManifests(again.Bytes())
		if err != nil || len(second) != len(objects) {
			t.Fatalf("%d objects, then %d, %v", len(objects), len(second), err)
		}
		for i := range second {
			if was, is := marshalled(t, objects[i].Object), marshalled(t, second[i].Object); was != is {
				t.Fatalf("%s, then %s", was, is)
			}
		}
	})
}

func marshalled(t *testing.T, value any) string {
	t.Helper()
	content, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
