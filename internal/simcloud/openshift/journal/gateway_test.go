package journal

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGateway_Ranges(t *testing.T) {
	var all []entry
	for n := range 5 {
		all = append(all, entry{Cursor: fmt.Sprintf("c%d", n)})
	}
	for header, want := range map[string][]string{
		"":               {"c0", "c1", "c2", "c3", "c4"},
		"entries=c3":     {"c3", "c4"},
		"entries=c1:2":   {"c1", "c2"},
		"entries=c1:1:2": {"c2", "c3"},
		"entries=c4:1:9": {"c4"},             // at the end the cursor's entry is repeated
		"entries=:-2:2":  {"c2", "c3"},       // one earlier than expected
		"entries=:-2:9":  {"c2", "c3", "c4"}, //
		"entries=:-9:9":  {"c0", "c1", "c2", "c3", "c4"},
		"entries=gone":   {"c0", "c1", "c2", "c3", "c4"},
	} {
		wanted, err := parseRange(header)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range wanted.selectEntries(all) {
			got = append(got, e.Cursor)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", header, diff)
		}
	}
	for _, header := range []string{"bytes=0-1", "entries=c:0", "entries=c:x:1", "entries=c:1:x", "entries=a:1:2:3"} {
		if _, err := parseRange(header); err == nil {
			t.Errorf("%q is read", header)
		}
	}
}
