package syn

import (
	"slices"
	"strings"
	"testing"

	yamledit "exoshift/provisioner/syn/catalog/edit"
	"exoshift/state"
)

// Of a tenant's cluster that was configured by an earlier installation, or by hand, the component for Terraform is taken out, too.
func TestCatalog_TakesTerraformOut(t *testing.T) {
	spec := state.Default()
	spec.Cluster = state.ClusterSpec{ID: "c-1", BaseDomain: "example.net"}
	catalog := &Catalog{spec: spec, facts: state.NewFactsStore(state.Facts{}, func(state.Facts) error { return nil })}
	for name, before := range map[string]string{
		"a new file":          "",
		"an earlier one":      "applications:\n  - cilium\nparameters:\n  openshift4_terraform:\n    terraform_variables:\n      base_domain: example.net\n",
		"one that adds it":    "applications: [openshift4-terraform]\n",
		"one that has it out": "applications:\n  - ~openshift4-terraform\n",
		"another base domain": "parameters:\n  openshift4_terraform:\n    terraform_variables:\n      base_domain: example.org\n",
	} {
		t.Run(name, func(t *testing.T) {
			edits := slices.DeleteFunc(catalog.buildEdits(), func(e state.YAMLEdit) bool { return e.Files != nil })
			content, err := yamledit.Apply("c-1.yml", []byte(before), edits)
			if err != nil {
				t.Fatal(err)
			}
			again, err := yamledit.Apply("c-1.yml", content, edits)
			if err != nil || string(again) != string(content) {
				t.Errorf("a second time: %v, %s", err, again)
			}
			if got := countLines(string(content), withoutTerraform); got != 1 {
				t.Errorf("%d times in\n%s", got, content)
			}
		})
	}
}

func countLines(content, item string) (count int) {
	for line := range strings.Lines(content) {
		if strings.Contains(line, item) {
			count++
		}
	}
	return count
}
