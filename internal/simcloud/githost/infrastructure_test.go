package githost_test

import (
	"strings"
	"testing"

	"exoshift/internal/simcloud/scenario"
)

// A catalog with the component for Terraform would create the machines of its cluster a second time, once its variables are
// complete.
func TestInfrastructure_PlansSecondCluster(t *testing.T) {
	const (
		project   = "projects/syn%2Fcluster-catalogs%2Fc-demo-1"
		variables = "  openshift4_terraform: {terraform_variables: {base_domain: example.net, ignition_ca: PEM, ssh_key: ssh-ed25519 A, rhcos_template: rhcos"
	)
	for name, c := range map[string]struct{ configuration, status, trace string }{
		"variables are missing": {configured + variables + "}}\n", "failed", `"hieradata_repo_user" is required`},
		"all variables":         {configured + variables + ", hieradata_repo_user: bot}}\n", "manual", "Plan: 15 to add, 0 to change, 0 to destroy."},
		"without the component": {strings.Replace(configured, "cilium]", "cilium, ~openshift4-terraform]", 1), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			compiles(t, scenario.Compilation{}, func(t *testing.T, w *compiler) {
				if _, status, trace := w.compile(t, c.configuration); status != "success" {
					t.Fatalf("the catalog's compilation is %s: %s", status, trace)
				}
				var pipelines, jobs []run
				w.get(t, project+"/pipelines", &pipelines)
				if c.status == "" {
					if len(pipelines) > 0 {
						t.Errorf("the catalog has the pipeline %+v", pipelines[0])
					}
					return
				}
				if len(pipelines) != 1 || pipelines[0].Status != c.status {
					t.Fatalf("the pipelines of the catalog are %+v", pipelines)
				}
				w.get(t, project+"/pipelines/"+itoa(pipelines[0].ID)+"/jobs", &jobs)
				if len(jobs) != 3 || jobs[0].Name != "apply" {
					t.Fatalf("the jobs are %+v", jobs)
				}
				if trace := w.ask(project + "/jobs/" + itoa(jobs[1].ID) + "/trace").Body.String(); !strings.Contains(trace, c.trace) {
					t.Errorf("the plan is %s", trace)
				}
			})
		})
	}
}
