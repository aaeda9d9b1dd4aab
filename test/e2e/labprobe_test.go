package e2e

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe"
	"exoshift/wizard/reach/probe/connection"
)

// limits are short, as many of the servers never answer, and allow for a machine that is busy.
func limits() connection.Limits {
	return connection.Limits{DNS: 3 * time.Second, TCP: 2 * time.Second, TLS: 3 * time.Second, HTTP: 3 * time.Second, Slow: 20 * time.Second}
}

// asked is one question to a service of the lab, and what is to be found.
type asked struct {
	url    string
	group  string // customer if nobody says another
	expect []int
	want   string // e.g. "fail tls-expired ++x-": verdict, class, and the layers DNS, TCP, TLS, HTTP; see told
	seen   string // "key=part of the value" of the evidence, more of them separated by ";"
}

// ask puts questions with the machine's own network, and the lab's authority trusted.
func (l *lab) ask(questions map[string]asked) {
	l.t.Helper()
	l.askAs(reach.Task{}, limits(), questions)
}

// askAs puts questions as part of a task: each is a run of its own, and they run side by side.
func (l *lab) askAs(task reach.Task, limits connection.Limits, questions map[string]asked) {
	l.t.Helper()
	if task.Authorities == "" {
		task.Authorities = string(l.authority.CertPEM())
	}
	l.t.Run("probes", func(t *testing.T) {
		for _, name := range slices.Sorted(maps.Keys(questions)) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				questions[name].judge(t, probed(t, task, limits, questions[name]))
			})
		}
	})
}

// probed runs one check.
func probed(t *testing.T, task reach.Task, limits connection.Limits, question asked) reach.Result {
	t.Helper()
	task.Source = reach.Workstation
	task.Checks = []reach.Check{{ID: "LAB-001", Group: cmp.Or(question.group, "customer"), URL: question.url, Expect: question.expect, Severity: reach.Must}}
	prober, err := probe.New(network.Host(), task, limits)
	must(t, err)
	report := reach.Run(t.Context(), task, prober, func(reach.Result) {})
	if len(report.Results) != 1 {
		t.Fatalf("%d results", len(report.Results))
	}
	return report.Results[0]
}

func (q asked) judge(t *testing.T, got reach.Result) {
	t.Helper()
	if told(got) != q.want {
		t.Errorf("%s: got %q, want %q; %v", q.url, told(got), q.want, got.Evidence)
	}
	for _, piece := range strings.Split(q.seen, ";") {
		if key, part, ok := strings.Cut(piece, "="); ok && !strings.Contains(got.Evidence[key], part) {
			t.Errorf("%s: the evidence lacks %q: %v", q.url, piece, got.Evidence)
		}
	}
	if got.Verdict != reach.OK && got.Hint == "" {
		t.Errorf("%s: nobody says what to do about %s", q.url, got.Class)
	}
}

// told puts a result in short: a layer is + if it is well, x if it failed, and - if it was not come to.
func told(result reach.Result) string {
	class := result.Class
	if class == "" {
		class = "-"
	}
	strip := ""
	for _, layer := range []reach.Layer{result.Layers.DNS, result.Layers.TCP, result.Layers.TLS, result.Layers.HTTP} {
		strip += map[reach.Layer]string{reach.LayerOK: "+", reach.LayerFail: "x", reach.LayerNone: "-"}[layer]
	}
	return fmt.Sprintf("%s %s %s", result.Verdict, class, strip)
}
