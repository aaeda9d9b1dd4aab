package wizard_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/schema"
)

// filled is the template with all required answers.
func filled() string {
	return strings.NewReplacer(
		`  id: ""`, "  id: c-demo-1", `  baseDomain: ""`, "  baseDomain: example.net", `  zone: ""`, "  zone: ch-gva-2",
		`  version: ""`, "  version: 4.20.5", `  pullSecret: {file: ""}`, "  pullSecret: {env: PULL_SECRET}", `  sshKey: ""`, "  sshKey: "+key,
	).Replace(string(schema.Template()))
}

func TestTemplate_CompleteWhenFilledIn(t *testing.T) {
	got, faults := answersfile.Parse("f", []byte(filled()))
	if len(faults) > 0 {
		t.Fatalf("faults:\n%s\nin:\n%s", lines(faults), filled())
	}
	if diff := cmp.Diff(valid(), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTemplate_RequiredAreEmpty(t *testing.T) {
	_, faults := answersfile.Parse("f", schema.Template())
	want := map[string]bool{"cluster.id": true, "cluster.baseDomain": true, "exoscale.zone": true, "openshift.version": true, "openshift.pullSecret": true, "openshift.sshKey": true}
	for _, fault := range faults {
		if !want[fault.Field] || fault.Line < 5 {
			t.Errorf("unexpected: %s", fault)
		}
		delete(want, fault.Field)
	}
	if len(want) > 0 {
		t.Errorf("nothing about %v", want)
	}
}

func TestTemplate_CommentedAnswersParse(t *testing.T) {
	comment := regexp.MustCompile(`(?m)^( *)#( {2,}|\S)`)
	content := comment.ReplaceAllString(filled(), "$1$2")
	spec, faults := answersfile.Parse("f", []byte(content))
	for _, fault := range faults { // examples need not be consistent with each other
		if strings.Contains(fault.Message, "unknown") || strings.Contains(fault.Message, "YAML") || strings.Contains(fault.Message, "not ") {
			t.Errorf("%s", fault)
		}
	}
	for _, field := range wizard.Fields() {
		if want := field.Default(); want != "" && field.Get(spec) != want {
			t.Errorf("%s: the template says %q, the default is %q", field.Key, field.Get(spec), want)
		}
		if !strings.Contains(content, field.Key[strings.LastIndex(field.Key, ".")+1:]+": ") {
			t.Errorf("%s is not in the template", field.Key)
		}
	}
	if diff := cmp.Diff(state.Default().Sizing.Storage, spec.Sizing.Storage); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
