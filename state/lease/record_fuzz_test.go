package lease_test

import (
	"context"
	"encoding/json"
	"testing"

	"exoshift/state/lease"
	"exoshift/state/store"
)

// stored is a store with one object.
type stored []byte

func (s stored) Get(context.Context, string) (store.Object, error) {
	return store.Object{Content: s, Version: "1"}, nil
}

func (stored) Put(context.Context, string, []byte, store.Version) (store.Version, error) {
	return "", store.ErrConflict
}

// FuzzRecord: a record that is read is of this format, and is the same when it is written and read again.
func FuzzRecord(f *testing.F) {
	for _, seed := range []string{
		"", "null", "{}", `{"v":1}`, `{"v":2}`, `{"v":1,"holder":{}}`, `{"v":1,"epoch":-1,"beat":9223372036854775807}`, `{"v":1,"renewed":"0000-01-01T00:00:00Z"}`,
		`{"v":1,"holder":{"user":"a\u001b[2J","host":"\u202e"}}`, `{"v":1,"epoch":1e99}`, "[", "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		record, _, err := lease.Read(t.Context(), stored(content), "c-demo-1")
		if err != nil {
			return
		}
		written, err := json.Marshal(record)
		if err != nil || record.Format != 1 {
			t.Fatalf("%q was read as %+v: %v", content, record, err)
		}
		again, _, err := lease.Read(t.Context(), stored(written), "c-demo-1")
		if rewritten, _ := json.Marshal(again); err != nil || string(rewritten) != string(written) {
			t.Fatalf("%s became %s: %v", written, rewritten, err)
		}
	})
}
