package clusterdir

import (
	"bufio"
	"strings"
	"testing"

	"exoshift/provisioner"
)

func TestParseEvents_PartialLine(t *testing.T) {
	var seen []int
	emit := func(e provisioner.Event) { seen = append(seen, e.Seq) }
	rest, err := parseEvents(bufio.NewReader(strings.NewReader("{\"seq\":1}\n{\"se\n{\"seq\":2}\n{\"seq\"")), "", emit)
	if err != nil || rest != "{\"seq\"" {
		t.Fatalf("left %q, %v", rest, err)
	}
	if _, err := parseEvents(bufio.NewReader(strings.NewReader(":3}\n")), rest, emit); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 3 || seen[0] != 1 || seen[1] != 2 || seen[2] != 3 {
		t.Errorf("told %v", seen)
	}
}
