package program

import "testing"

// FuzzLine: a line of openshift-install has a message, of whatever form it is.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{"", `level=info msg="Consuming \"a\""`, `level=error msg=x`, `time="a" level=debug msg="\xff"`, `level=info msg="`, "\x1b[31mFATAL\x1b[0m x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		level, message := parseLine(line)
		if level == "" && message != line || len(message) > 4*len(line)+4 {
			t.Fatalf("%q has the level %q and says %q", line, level, message)
		}
	})
}
