package commodore

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

// Trace is a job's trace as a runner writes it: each line with its time, parts of it in sections.
type Trace struct {
	Lines []TraceLine
	at    time.Time
}

// TraceLine is a line with its time.
type TraceLine struct {
	At   time.Time
	Text string
}

// Succeeded is the last line of a job without errors.
const Succeeded = green + "Job succeeded" + normal

// WriteLines advances the time a little.
func (t *Trace) WriteLines(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		t.at = t.at.Add(40 * time.Millisecond)
		t.Lines = append(t.Lines, TraceLine{t.at, fmt.Sprintf("%s 00O %s\n", t.at.UTC().Format("2006-01-02T15:04:05.000000Z"), line)})
	}
}

// writeSection writes lines that can be folded.
func (t *Trace) writeSection(name, title string, lines ...string) {
	t.WriteLines(fmt.Sprintf("section_start:%d:%s\r%s%s%s%s%s", t.at.Unix(), name, erase, erase, cyan, title, normal))
	for _, line := range lines {
		t.WriteLines(line)
	}
	t.at = t.at.Add(time.Second)
	t.WriteLines(fmt.Sprintf("section_end:%d:%s\r%s", t.at.Unix(), name, erase))
}

// WriteStep is a heading of Commodore; it advances the time.
func (t *Trace) WriteStep(title string, lines ...string) {
	t.at = t.at.Add(6 * time.Second)
	t.WriteLines(bold + title + plain)
	for _, line := range lines {
		t.WriteLines(line)
	}
}

// NewTrace returns the trace of a job, with the lines before the compilation, which are known from the start.
func NewTrace(begins time.Time, commit, cluster string) *Trace {
	t := &Trace{at: begins}
	t.WriteLines(erase + "Running with gitlab-runner 17.11.0 (0f67ff19)" + normal)
	t.WriteLines(erase + "  on commodore-compile-runner x7yzP2kQ, system ID: r_4bQbE5Xo1kzV" + normal)
	t.writeSection("prepare_executor", "Preparing the \"kubernetes\" executor", "Using Kubernetes executor with image docker.io/projectsyn/commodore:v1.33.1 ...")
	t.writeSection("prepare_script", "Preparing environment", "Running on runner-x7yzp2kq-project...")
	t.writeSection("get_sources", "Getting source from Git repository", green+"Fetching changes with git depth set to 20..."+normal,
		"Checking out "+commit[:8]+" as detached HEAD (ref is "+DefaultBranch+")...")
	t.WriteLines(fmt.Sprintf("section_start:%d:step_script\r%s%s%sExecuting \"step_script\" stage of the job script%s", t.at.Unix(), erase, erase, cyan, normal))
	t.WriteLines(green + "$ commodore catalog compile --push " + cluster + normal)
	return t
}

// Close ends a trace. Lines after the job's end get the time of its end.
func (t *Trace) Close(at time.Time, failure error) {
	result := Succeeded
	if failure != nil {
		t.WriteLines("Error: " + failure.Error())
		result = red + "ERROR: Job failed: command terminated with exit code 1" + normal
	}
	t.WriteLines(fmt.Sprintf("section_end:%d:step_script\r%s", at.Unix(), erase))
	t.WriteLines(result)
	for i := range t.Lines {
		if t.Lines[i].At.After(at) {
			t.Lines[i].At = at
		}
	}
}
