package githost

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"exoshift/internal/simcloud/githost/commodore"
)

const (
	// infrastructureDir is of the component that describes the machines for Terraform. Its gitlab-ci.yml is the configuration of the
	// catalog's pipelines.
	infrastructureDir   = "manifests/openshift4-terraform"
	firstInfrastructure = 80000
)

// infrastructure is the pipeline of a catalog's newest commit. No cluster has a Terraform state on this host, so that it plans to
// create every machine.
type infrastructure struct {
	ID      int
	SHA     string
	Began   time.Time
	Lacking []string // variables that the module requires, and that nobody sets
	Added   []string // addresses of the machines in the plan
}

// findInfrastructure finds the pipeline of the call's project.
func findInfrastructure(c call) (infrastructure, bool) {
	tip, ok := c.project.findTip()
	if !ok {
		return infrastructure{}, false
	}
	files, err := c.host.Repositories.openStorage(c.project).readFiles(tip)
	if err != nil || files[path.Join(infrastructureDir, "gitlab-ci.yml")] == nil {
		return infrastructure{}, false
	}
	return newInfrastructure(c.project, tip, files[path.Join(infrastructureDir, "main.tf.json")]), true
}

func newInfrastructure(project repository, tip plumbing.Hash, description []byte) infrastructure {
	p := infrastructure{ID: firstInfrastructure + project.ID, SHA: tip.String(), Began: project.Active}
	var described struct {
		Module struct{ Cluster map[string]any }
	}
	_ = json.Unmarshal(description, &described) // without a module all of its variables are lacking
	variables := described.Module.Cluster
	for _, name := range listRequiredVariables() {
		if variables[name] == nil {
			p.Lacking = append(p.Lacking, name)
		}
	}
	for _, group := range []struct {
		name  string
		count int
	}{{"lb", 2}, {"master", 3}, {"infra", 4}, {"storage", 3}, {"worker", 3}} {
		if count, ok := variables[group.name+"_count"].(float64); ok {
			group.count = int(count)
		}
		for n := range group.count {
			p.Added = append(p.Added, fmt.Sprintf("module.cluster.module.%s.exoscale_compute_instance.nodes[%d]", group.name, n))
		}
	}
	return p
}

// listRequiredVariables are those of terraform-openshift4-exoscale without a default.
func listRequiredVariables() []string {
	return []string{"cluster_id", "rhcos_template", "base_domain", "ssh_key", "ignition_ca", "bootstrap_bucket", "hieradata_repo_user",
		"control_vshn_net_token", "lb_exoscale_api_key", "lb_exoscale_api_secret"}
}

// A plan waits for somebody to apply it.
const manual = "manual"

func (p infrastructure) status() string {
	if len(p.Lacking) > 0 {
		return failed
	}
	return manual
}

func (p infrastructure) render(c call) map[string]any {
	return map[string]any{"id": p.ID, "iid": 1, "project_id": c.project.ID, "sha": p.SHA, "ref": defaultBranch, "source": "push",
		"status": p.status(), "created_at": formatTime(p.Began), "updated_at": formatTime(p.Began), "web_url": c.link("pipelines", p.ID)}
}

// listJobs lists the newest first.
func (p infrastructure) listJobs(c call) []map[string]any {
	statuses := map[string]string{"validate": success, "plan": success, "apply": manual}
	if len(p.Lacking) > 0 {
		statuses = map[string]string{"validate": failed, "plan": "skipped", "apply": "skipped"}
	}
	var jobs []map[string]any
	for n, name := range []string{"validate", "plan", "apply"} {
		j := job{ID: p.ID*1000 + n, Begins: p.Began, Ends: p.Began.Add(lintedAt)}
		jobs = append(jobs, c.renderJobBody(p.render(c), j, name, []string{"validate", "plan", "deploy"}[n], statuses[name]))
	}
	slices.Reverse(jobs)
	return jobs
}

// renderTrace returns what Terraform writes in a job: its errors, or its plan.
func (p infrastructure) renderTrace(number string) []byte {
	var text strings.Builder
	switch {
	case len(p.Lacking) > 0:
		for _, name := range p.Lacking {
			fmt.Fprintf(&text, "Error: Missing required argument\n\nThe argument %q is required, but no definition was found.\n\n", name)
		}
		text.WriteString("ERROR: Job failed: exit code 1\n")
	case number == strconv.Itoa(p.ID*1000+1):
		for _, address := range p.Added {
			fmt.Fprintf(&text, "  # %s will be created\n", address)
		}
		fmt.Fprintf(&text, "Plan: %d to add, 0 to change, 0 to destroy.\n%s\n", len(p.Added), commodore.Succeeded)
	default:
		text.WriteString(commodore.Succeeded + "\n")
	}
	return []byte(text.String())
}
