package githost

import (
	"fmt"
	"strings"
	"time"
)

const (
	erase  = "\x1b[0K"
	bold   = "\x1b[1m"
	cyan   = "\x1b[36;1m"
	green  = "\x1b[32;1m"
	red    = "\x1b[31;1m"
	normal = "\x1b[0;m"
	plain  = "\x1b[0m"
)

// tracer writes a job's trace as a runner does: each line with its time, parts of it in sections.
type tracer struct {
	lines []traceLine
	at    time.Time
}

// writeLines advances the time a little.
func (t *tracer) writeLines(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		t.at = t.at.Add(40 * time.Millisecond)
		t.lines = append(t.lines, traceLine{t.at, fmt.Sprintf("%s 00O %s\n", t.at.UTC().Format("2006-01-02T15:04:05.000000Z"), line)})
	}
}

func (t *tracer) writeSection(name, title string, lines ...string) {
	t.writeLines(fmt.Sprintf("section_start:%d:%s\r%s%s%s%s%s", t.at.Unix(), name, erase, erase, cyan, title, normal))
	for _, line := range lines {
		t.writeLines(line)
	}
	t.at = t.at.Add(time.Second)
	t.writeLines(fmt.Sprintf("section_end:%d:%s\r%s", t.at.Unix(), name, erase))
}

// writeStep is a heading of Commodore; it advances the time.
func (t *tracer) writeStep(title string, lines ...string) {
	t.at = t.at.Add(6 * time.Second)
	t.writeLines(bold + title + plain)
	for _, line := range lines {
		t.writeLines(line)
	}
}

// newJobTrace has the lines before the compilation, which are known from the start.
func newJobTrace(p pipeline, j job) *tracer {
	t := &tracer{at: j.Begins}
	t.writeLines(erase + "Running with gitlab-runner 17.11.0 (0f67ff19)" + normal)
	t.writeLines(erase + "  on commodore-compile-runner x7yzP2kQ, system ID: r_4bQbE5Xo1kzV" + normal)
	t.writeSection("prepare_executor", "Preparing the \"kubernetes\" executor", "Using Kubernetes executor with image docker.io/projectsyn/commodore:v1.33.1 ...")
	t.writeSection("prepare_script", "Preparing environment", "Running on runner-x7yzp2kq-project...")
	t.writeSection("get_sources", "Getting source from Git repository", green+"Fetching changes with git depth set to 20..."+normal,
		"Checking out "+p.SHA[:8]+" as detached HEAD (ref is "+defaultBranch+")...")
	t.writeLines(fmt.Sprintf("section_start:%d:step_script\r%s%s%sExecuting \"step_script\" stage of the job script%s", t.at.Unix(), erase, erase, cyan, normal))
	t.writeLines(green + "$ commodore catalog compile --push " + j.Cluster + normal)
	return t
}

// close ends a trace. Lines after the job's end get the time of its end.
func (t *tracer) close(at time.Time, failure error) {
	result := green + "Job succeeded" + normal
	if failure != nil {
		t.writeLines("Error: " + failure.Error())
		result = red + "ERROR: Job failed: command terminated with exit code 1" + normal
	}
	t.writeLines(fmt.Sprintf("section_end:%d:step_script\r%s", at.Unix(), erase))
	t.writeLines(result)
	for i := range t.lines {
		if t.lines[i].At.After(at) {
			t.lines[i].At = at
		}
	}
}
