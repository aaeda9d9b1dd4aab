package ignition_test

import (
	"testing"

	"exoshift/ignition"
	"exoshift/internal/fault"
)

// FuzzLayout fuzzes a node's document in the folder, which its disk is compared with.
func FuzzLayout(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "null", `{"ignition":{"version":"3.2.0"}}`, `{"ignition":{"version":"3.2.0"},"storage":{"disks":[{"device":"/dev/vda","partitions":[{"number":4,"sizeMiB":102400}]}]}}`,
		`{"ignition":{"version":"3.2.0"},"storage":{"disks":[{"device":"/dev/vda","partitions":[{"number":4,"sizeMiB":-9223372036854775808}]}]}}`, `{"ignition":{"version":"9.9.9"}}`, "[", "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		layout, err := ignition.ParseLayout(document)
		if err != nil && (!fault.Is(err, fault.Invalid) || layout != ignition.Layout{}) {
			t.Fatalf("%q is %+v, %v", document, layout, err)
		}
	})
}
