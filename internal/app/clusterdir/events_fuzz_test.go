package clusterdir

import (
	"bufio"
	"strings"
	"testing"

	"exoshift/provisioner"
)

// FuzzEvents: wherever a record of events was read to, the same events follow.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"", "{}\n", "{\"seq\":1}\n{\"seq\":2", "\n\n", "null\n[]\n{\"time\":1}\n", "{\"seq\":1}\r\n", "\xff\n{}\n"} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, content string, at int) {
		at = int(uint(at) % uint(len(content)+1))
		read := func(parts ...string) (all []int, rest string) {
			for _, part := range parts {
				var err error
				rest, err = parseEvents(bufio.NewReader(strings.NewReader(part)), rest, func(e provisioner.Event) { all = append(all, e.Seq) })
				if err != nil {
					t.Fatal(err)
				}
			}
			return all, rest
		}
		whole, rest := read(content)
		parts, same := read(content[:at], content[at:])
		if len(whole) != len(parts) || rest != same || !strings.HasSuffix(content, rest) {
			t.Fatalf("%q: %v and %q; cut at %d: %v and %q", content, whole, rest, at, parts, same)
		}
	})
}
