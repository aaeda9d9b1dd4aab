package probe

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"exoshift/wizard/reach"
)

func TestRunTask(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.site(service, says(200, nil, ""))
		task, err := json.Marshal(reach.Task{Source: "ssh:host", Checks: []reach.Check{{ID: "A", URL: "https://" + service}}})
		must(t, err)
		var out bytes.Buffer
		must(t, RunTask(t.Context(), l.network, bytes.NewReader(task), &out))
		report, err := reach.ReadReport(&out)
		if err != nil || len(report.Results) != 1 || report.Results[0].Verdict != reach.OK || report.Results[0].Source != "ssh:host" {
			t.Errorf("%+v, %v", report, err)
		}
		var unread *TaskError
		if err := RunTask(t.Context(), l.network, strings.NewReader("{"), &out); !errors.As(err, &unread) {
			t.Errorf("half a task: %v", err)
		}
	})
}
