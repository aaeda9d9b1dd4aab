// Package deploy holds what is in deploy/ against the program.
package deploy

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// podFailurePolicy is what a Job does about each exit code.
type podFailurePolicy struct {
	Rules []struct {
		Action      string
		OnExitCodes *struct {
			ContainerName, Operator string
			Values                  []int
		}
		OnPodConditions []struct{ Type, Status string }
	}
}

type jobSpec struct {
	PodFailurePolicy podFailurePolicy
	Template         struct {
		Spec struct {
			RestartPolicy                string
			AutomountServiceAccountToken *bool
			Containers                   []struct {
				Name            string
				SecurityContext struct{ ReadOnlyRootFilesystem bool }
				Env             []struct{ Name, Value string }
			}
		}
	}
}

func readJob(t *testing.T, name string) jobSpec {
	t.Helper()
	content, err := os.ReadFile("../../deploy/kubernetes/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Spec struct {
			jobSpec     `json:",inline"`
			JobTemplate struct{ Spec jobSpec }
		}
	}
	if err := yaml.Unmarshal(content, &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Spec.JobTemplate.Spec.PodFailurePolicy.Rules) > 0 {
		return found.Spec.JobTemplate.Spec
	}
	return found.Spec.jobSpec
}

// readExitCodes returns the codes of the page, and those after which the same command goes on without a person.
func readExitCodes(t *testing.T) (all, resumed []int) {
	t.Helper()
	content, err := os.ReadFile("../../docs/reference/exit-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(string(content), -1) {
		code, err := strconv.Atoi(row[1])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, code)
	}
	if !strings.Contains(string(content), "After 10 to 17, 20 and 130 the same command resumes") {
		t.Error("the page does not say any more after which codes the same command goes on")
	}
	for _, code := range all {
		if code >= 10 && code <= 17 || code == 130 { // 20 is for a person
			resumed = append(resumed, code)
		}
	}
	return all, resumed
}

// TestJobs_KnowEveryExitCode: each code of the page is in one rule of each Job, and what can be resumed is tried again.
func TestJobs_KnowEveryExitCode(t *testing.T) {
	all, resumed := readExitCodes(t)
	for _, name := range []string{"base/install.yaml", "base/drift.yaml", "backups/create.yaml", "backups/prune.yaml"} {
		job := readJob(t, name)
		rules := job.PodFailurePolicy.Rules
		if len(rules) != 3 || rules[0].Action != "Ignore" || len(rules[0].OnPodConditions) != 1 || rules[0].OnPodConditions[0].Type != "DisruptionTarget" {
			t.Fatalf("%s: disruptions are not ignored before anything else: %+v", name, rules)
		}
		actions := map[int]string{}
		for _, rule := range rules[1:] {
			if rule.OnExitCodes.Operator != "In" || rule.OnExitCodes.ContainerName != job.Template.Spec.Containers[0].Name || !slices.IsSorted(rule.OnExitCodes.Values) {
				t.Errorf("%s: the rule is %+v", name, rule.OnExitCodes)
			}
			for _, code := range rule.OnExitCodes.Values {
				if actions[code] != "" {
					t.Errorf("%s: code %d is in two rules", name, code)
				}
				actions[code] = rule.Action
			}
		}
		for _, code := range all {
			want := "FailJob"
			switch {
			case code == 0:
				want = ""
			case slices.Contains(resumed, code):
				want = "Count"
			}
			if actions[code] != want {
				t.Errorf("%s: code %d is %q, want %q", name, code, actions[code], want)
			}
			delete(actions, code)
		}
		if len(actions) > 0 {
			t.Errorf("%s: there are no such codes: %v", name, actions)
		}
	}
}

// TestJobs_HoldNoSecret: secrets are referred to, and what runs cannot be changed.
func TestJobs_HoldNoSecret(t *testing.T) {
	for _, name := range []string{"base/install.yaml", "base/drift.yaml", "backups/create.yaml", "backups/prune.yaml"} {
		pod := readJob(t, name).Template.Spec
		if pod.RestartPolicy != "Never" || pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken || !pod.Containers[0].SecurityContext.ReadOnlyRootFilesystem {
			t.Errorf("%s: the pod is %+v", name, pod)
		}
		for _, variable := range pod.Containers[0].Env {
			if strings.Contains(variable.Name, "KEY") || strings.Contains(variable.Name, "SECRET") || strings.Contains(variable.Name, "TOKEN") {
				t.Errorf("%s: %s is given in the open", name, variable.Name)
			}
		}
	}
}
