package catalog_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/githost"
	"exoshift/provisioner/syn/catalog"
	"exoshift/state"
)

// gitLab is a GitLab with responses by the end of the path.
type gitLab map[string]string

// hosts makes the GitLab respond as the Git host. Other paths are not found.
func (g gitLab) hosts(w *world) {
	defaults := gitLab{
		"":                   `{"id": 7, "default_branch": "main", "jobs_enabled": true}`,
		"/pipelines":         `[{"id": 41, "status": "running", "web_url": "https://` + host + `/41"}]`,
		"/pipelines/41/jobs": `[]`, "/pipelines/41/bridges": `[]`,
	}
	w.meet = func(rw http.ResponseWriter, r *http.Request) bool {
		_, path, _ := strings.Cut(r.URL.Path, tenantID)
		answer, found := g[path]
		if !found {
			answer, found = defaults[path]
		}
		if r.URL.Query().Get("page") == "2" {
			answer = "[]"
			if second, found := g[path+" 2"]; found {
				answer = second
			}
		}
		switch {
		case !found:
			rw.WriteHeader(http.StatusNotFound)
		case len(answer) == 3: // a status
			var code int
			_, _ = fmt.Sscan(answer, &code)
			rw.WriteHeader(code)
		default:
			_, _ = rw.Write([]byte(answer))
		}
		return true
	}
}

func deploy(status string) string {
	return fmt.Sprintf(`{"id": 99, "name": "%s_deploy", "status": %q}`, clusterID, status)
}

func (w *world) compile(t *testing.T, local catalog.Commodore) (text string, err error) {
	var all []string
	compiler := catalog.NewCompiler(w.network, catalog.Access{Token: w.token}, local)
	err = compiler.Compile(t.Context(), tenant(), state.SynCluster{ID: clusterID}, strings.Repeat("a", 40), func(text string) { all = append(all, text) })
	return strings.Join(all, "\n"), err
}

func TestPipeline_OutcomesAndHints(t *testing.T) {
	ended := func(status string) string {
		return `[{"id": 41, "status": "` + status + `", "web_url": "https://x/41"}]`
	}
	many := "[" + strings.TrimSuffix(strings.Repeat(`{"id": 1, "name": "c-other_deploy", "status": "success"},`, 100), ",") + "]"
	for name, test := range map[string]struct {
		answers gitLab
		kind    fault.Kind // 0: it is compiled
		says    string
		hint    string
	}{
		"the job is on the second page": {answers: gitLab{"/pipelines": ended("success"), "/pipelines/41/jobs": many, "/pipelines/41/jobs 2": "[" + deploy("success") + "]"}},
		"below, in this project":        {answers: gitLab{"/pipelines/41/bridges": `[{"id": 3, "downstream_pipeline": {"id": 42, "project_id": 7}}]`, "/pipelines/42/jobs": "[" + deploy("success") + "]"}},
		"below, in another project":     {answers: gitLab{"/pipelines": ended("success"), "/pipelines/41/bridges": `[{"id": 3, "downstream_pipeline": {"id": 42, "project_id": 8}}]`}},
		"stopped":                       {gitLab{"/pipelines": ended("canceled")}, fault.Waiting, "pipeline 41", "https://x/41"},
		"by hand":                       {gitLab{"/pipelines/41/jobs": "[" + deploy("manual") + "]"}, fault.Waiting, "pipeline 41 of", "start it manually,"},
		"left out":                      {gitLab{"/pipelines": ended("skipped")}, fault.Waiting, "is skipped", "new pipeline"},
		"no runner":                     {gitLab{"/pipelines": ended("failed"), "/pipelines/41/jobs": `[{"id": 99, "name": "` + clusterID + `_deploy", "status": "failed", "failure_reason": "stuck_or_timeout_failure"}]`}, fault.Waiting, "stuck or timeout failure", "the operator of the pipelines"},
		"the job in front of ours":      {gitLab{"/pipelines": ended("failed"), "/pipelines/41/jobs": `[` + deploy("skipped") + `,{"id": 98, "name": "yamllint", "status": "failed", "failure_reason": "script_failure"}]`, "/jobs/98/trace": "Error: c-demo-1.yml: wrong indentation"}, fault.Invalid, "wrong indentation", "job yamllint of pipeline 41"},
		"others fail":                   {gitLab{"/pipelines": ended("failed"), "/pipelines/41/jobs": `[{"id": 98, "name": "c-other_deploy", "status": "failed"}]`}, fault.NotFound, "compiles other clusters", "enableCompilePipeline"},
		"no pipelines":                  {gitLab{"": `{"id": 7, "builds_access_level": "disabled"}`, "/pipelines": "403"}, fault.NotFound, "has no pipelines", "enable pipelines"},
		"hidden":                        {gitLab{"": "404"}, fault.NotFound, "no access to it", "your account"},
		"a token that has ended":        {gitLab{"/pipelines": "401"}, fault.Denied, "rejects the token", "scope api"},
		"too often":                     {gitLab{"/pipelines": "429"}, fault.Transient, "answers 429", ""},
		"down":                          {gitLab{"": "502"}, fault.Transient, "answers 502", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, githost.Config{})
			test.answers.hosts(w)
			_, err := w.compile(t, catalog.Commodore{})
			if test.kind == 0 && err == nil {
				return
			}
			if !fault.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) || !strings.Contains(fault.HintOf(err), test.hint) {
				t.Errorf("kind %d: %v, hint %q", fault.KindOf(err), err, fault.HintOf(err))
			}
		})
	}
}

func TestPipeline_BranchOnly(t *testing.T) {
	w := newWorld(t, githost.Config{})
	gitLab{"/pipelines": `[{"id": 41, "status": "success"}]`}.hosts(w)
	answer, asked := w.meet, ""
	w.meet = func(rw http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/pipelines") {
			asked = r.URL.Query().Get("ref")
		}
		return answer(rw, r)
	}
	compiler := catalog.NewCompiler(w.network, catalog.Access{Token: w.token}, catalog.Commodore{})
	for want, cluster := range map[string]state.SynCluster{"main": {ID: clusterID}, "next": {ID: clusterID, TenantRevision: "next"}} {
		if err := compiler.Compile(t.Context(), tenant(), cluster, "a", func(string) {}); err != nil || asked != want {
			t.Errorf("pipelines of %q, and not of %q: %v", asked, want, err)
		}
	}
}

func TestPipeline_MissingUsesCommodore(t *testing.T) {
	w := newWorld(t, githost.Config{})
	gitLab{"": `{"id": 7, "jobs_enabled": false}`, "/pipelines": "403"}.hosts(w)
	text, err := w.compile(t, local(t, ""))
	if err != nil || !strings.Contains(text, "has no pipelines\ncommodore on this machine") && !strings.Contains(text, "args: catalog compile") {
		t.Errorf("%v, told %s", err, text)
	}
}

func TestPipeline_ReportsNoRunner(t *testing.T) {
	w := newWorld(t, githost.Config{})
	gitLab{"/pipelines": `[{"id": 41, "status": "pending", "web_url": "https://x/41"}]`}.hosts(w)
	ctx, cancel := context.WithCancel(t.Context())
	began := w.network.Clock.Now()
	compiler := catalog.NewCompiler(w.network, catalog.Access{Token: w.token}, catalog.Commodore{})
	err := compiler.Compile(ctx, tenant(), state.SynCluster{ID: clusterID}, "a", func(text string) {
		if strings.Contains(text, "no runner is available; see https://x/41") {
			cancel()
		}
	})
	if waited := w.network.Clock.Now().Sub(began); !fault.Is(err, fault.Cancelled) || waited < 5*time.Minute {
		t.Errorf("after %s: %v", waited, err)
	}
}

func TestPipeline_FollowsNewerCommit(t *testing.T) {
	w := newWorld(t, githost.Config{})
	gitLab{"/pipelines/43/jobs": "[" + deploy("success") + "]", "/pipelines/43/bridges": "[]"}.hosts(w)
	answer, newer := w.meet, strings.Repeat("b", 40)
	w.meet = func(rw http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/pipelines") {
			return answer(rw, r)
		}
		list := `{"id": 43, "sha": "` + newer + `", "status": "running"}`
		if r.URL.Query().Get("sha") == strings.Repeat("a", 40) {
			list = `{"id": 41, "sha": "` + strings.Repeat("a", 40) + `", "status": "canceled"}`
		}
		_, _ = rw.Write([]byte("[" + list + "]"))
		return true
	}
	text, err := w.compile(t, catalog.Commodore{})
	if err != nil || !strings.Contains(text, "pipeline 41 was stopped, and 43 is that of a newer commit") || !strings.HasSuffix(text, "pipeline 43 has compiled the catalog") {
		t.Errorf("%v, told %s", err, text)
	}
}
