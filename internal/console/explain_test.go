package console_test

import (
	"bytes"
	"strings"
	"testing"

	"exoshift/internal/console"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

func TestExplain_FitsTerminalWithoutSecrets(t *testing.T) {
	answers := wizard.NewAnswers()
	answers.Origins["cluster.displayName"] = "a\x1b[2J"
	answers.Spec.Cluster.DisplayName = strings.Repeat("wide\x1b]0;x\x07 ", 20)
	for _, field := range answersfile.FindFields("") {
		var out bytes.Buffer
		console.PrintField(&out, field, answers)
		for line := range strings.Lines(out.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 && len(strings.Fields(line)) > 2 && !strings.Contains(line, "allowed") {
				t.Errorf("%s: %d columns: %s", field.Key, n, line)
			}
		}
		if strings.ContainsAny(out.String(), "\x1b\x07") || !strings.HasPrefix(out.String(), field.Key+"  "+field.Title+"\n") {
			t.Errorf("%s is explained as %q", field.Key, out.String())
		}
	}
	var out bytes.Buffer
	console.PrintAnswers(&out, answersfile.FindFields("cluster"), answers)
	want := "KEY                  ANSWER                                    FROM\n" +
		"cluster.id           –                                         default\n" +
		"cluster.displayName  wide wide wide wide wide wide wide wide…  a\n"
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("want\n%s\ngot\n%s", want, out.String())
	}
}
