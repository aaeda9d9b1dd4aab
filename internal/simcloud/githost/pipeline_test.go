package githost_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/simcloud/githost"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/store"
)

func TestPipeline_JobLogWhileRunning(t *testing.T) {
	compiles(t, scenario.Compilation{}, func(t *testing.T, c *compiler) {
		commit := c.push(t, configured)
		var seen []string
		for range 24 {
			if status := c.pipelines(t, commit)[0].Status; len(seen) == 0 || seen[len(seen)-1] != status {
				seen = append(seen, status)
			}
			time.Sleep(5 * time.Second)
			if len(seen) == 3 && seen[2] == "running" {
				break
			}
		}
		time.Sleep(30 * time.Second)
		job := c.job(t, c.pipelines(t, commit)[0].ID)
		trace := c.ask(projectURL + "/jobs/" + itoa(job.ID) + "/trace").Body.String()
		if job.Status != "running" || !strings.Contains(trace, "$ commodore catalog compile --push c-demo-1") || strings.Contains(trace, "Job succeeded") {
			t.Errorf("the job is %s: %s", job.Status, trace)
		}
		if files, _, _ := c.ReadFiles(catalog); len(files) > 0 {
			t.Errorf("there is a catalog already: %d files", len(files))
		}
		if got := strings.Join(seen, " "); got != "created pending running" {
			t.Errorf("the pipeline was %s", got)
		}
	})
}

func TestPipeline_ResumesAfterKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := githost.Config{DB: store.NewMemory(), HostKey: signer(t, 'h'), Host: "git.vshn.net",
			Clusters: func(id string) (githost.Cluster, bool) { return known(), id == "c-demo-1" }}
		dir := t.TempDir()
		var err error
		if config.DB, err = store.Open(dir); err != nil {
			t.Fatal(err)
		}
		c := compilerOf(t, config)
		commit := c.push(t, configured)
		if got := c.pipelines(t, commit)[0].Status; got != "created" {
			t.Fatalf("the pipeline is %s", got)
		}
		time.Sleep(40 * time.Second)
		if err := config.DB.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(80 * time.Second)
		if config.DB, err = store.Open(dir); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = config.DB.Close() }()
		again := compilerOf(t, config)
		if got := again.pipelines(t, commit)[0].Status; got != "success" {
			t.Errorf("the pipeline is %s", got)
		}
		if files, _, _ := again.ReadFiles(catalog); len(files) == 0 {
			t.Error("there is no catalog")
		}
	})
}

func TestPipeline_TenantClustersWithFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		others := map[string]githost.Cluster{"c-demo-1": known(), "c-other": known(), "c-manual": known(), "c-nofile": known()}
		foreign, manual := known(), known()
		foreign.Tenant, manual.NoPipeline = "t-other", true
		others["c-other"], others["c-manual"] = foreign, manual
		c := compilerOf(t, githost.Config{DB: store.NewMemory(), HostKey: signer(t, 'h'), Host: "git.vshn.net",
			Clusters: func(id string) (githost.Cluster, bool) { found, ok := others[id]; return found, ok }})
		commit, err := c.Commit(getProject, "Change", map[string][]byte{"c-other.yml": {}, "c-manual.yml": {}, "README.md": {}, "sub/c-demo-1.yml": {}})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.pipelines(t, commit); len(got) > 0 {
			t.Errorf("pipelines without a cluster: %+v", got)
		}
		commit = c.push(t, configured)
		time.Sleep(2 * time.Minute)
		if job := c.job(t, c.pipelines(t, commit)[0].ID); job.Name != "c-demo-1_deploy" {
			t.Errorf("the job is %+v", job)
		}
	})
}
