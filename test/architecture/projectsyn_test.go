package architecture

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// The page about Project Syn counts the steps that are left to people; its own table is what is counted.
func TestProjectSynPage_StepCounts(t *testing.T) {
	content, err := os.ReadFile("../../docs/how-to/project-syn.md")
	if err != nil {
		t.Fatal(err)
	}
	humans, next := 0, 1
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \| (.+?) \| (.+?) \| (.+) \|$`).FindAllStringSubmatch(string(content), -1) {
		if step, _ := strconv.Atoi(row[1]); step != next {
			t.Errorf("step %d stands where %d belongs", step, next)
		}
		next++
		switch row[3] {
		case "human":
			humans++
		case "exoshift", "not applicable":
		default:
			t.Errorf("step %s is done by %q", row[1], row[3])
		}
	}
	if next-1 != 40 {
		t.Errorf("the table has %d steps, not 40", next-1)
	}
	lines := regexp.MustCompile(`(?m)^\| steps that a person does or waits at \| \d+ \| (\d+) \|$`).FindStringSubmatch(string(content))
	if lines == nil || lines[1] != strconv.Itoa(humans) || humans > 6 {
		t.Errorf("%d steps are left to people, at most 6 may be; the page counts %v", humans, lines)
	}
}
