package console_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"exoshift/provisioner/handover"

	"exoshift/internal/console"
	"exoshift/provisioner"
	"exoshift/state"
)

// hostile tries to control a terminal.
const hostile = "a\x1b[2J\x1b]0;title\x07b\u009b31m\u202e\r\nc\x00"

// poisoned returns an event with hostile text in every text field.
func poisoned(kind provisioner.Type, eventState string) provisioner.Event {
	var e provisioner.Event
	value := reflect.ValueOf(&e).Elem()
	for i := range value.NumField() {
		switch field := value.Field(i); {
		case field.Kind() == reflect.String:
			field.SetString(hostile)
		case field.Type() == reflect.TypeFor[[]string]():
			field.Set(reflect.ValueOf([]string{hostile, hostile}))
		}
	}
	since, share := began, 40
	e.Members = []provisioner.Member{{Name: hostile, State: hostile, Revision: 3}}
	e.Type, e.State, e.Time, e.Since, e.Percent = kind, eventState, began.Add(time.Minute), &since, &share
	return e
}

func TestEvents_HostileTextIsSanitized(t *testing.T) {
	types, _ := constants(t)
	for _, kind := range append(types, "of tomorrow") {
		for _, eventState := range []string{hostile, provisioner.Started, provisioner.Failed, provisioner.Present, provisioner.Gone, provisioner.Finished} {
			e := poisoned(provisioner.Type(kind), eventState)
			failed := poisoned(provisioner.TypeRun, provisioner.Finished)
			failed.Result = "failed"
			var out bytes.Buffer
			show, board := console.NewPlain(&out), provisioner.NewBoard(nil)
			for _, one := range []provisioner.Event{e, poisoned(provisioner.TypeStep, provisioner.Failed), failed} {
				show(one)
				board.Fold(one)
			}
			console.PrintSummary(&out, board, state.Facts{}, handover.Locations{Resume: "exoshift"})
			console.PrintStatus(&out, board, state.Facts{}, handover.Locations{Folder: "/state"})
			if i := strings.IndexFunc(out.String(), steers); i >= 0 {
				t.Errorf("%s, %q: %q is printed", kind, eventState, out.String()[max(0, i-40):i+1])
			}
		}
	}
}

func TestJSON_HoldsNoHostileText(t *testing.T) {
	var out bytes.Buffer
	console.NewJSON(&out)(poisoned(provisioner.TypeStep, hostile))
	var event map[string]any
	if err := json.Unmarshal(out.Bytes(), &event); err != nil {
		t.Fatal(err)
	}
	var walk func(path string, value any)
	texts := 0
	walk = func(path string, value any) {
		switch value := value.(type) {
		case string:
			if texts++; strings.IndexFunc(value, steers) >= 0 {
				t.Errorf("%s is %q", path, value)
			}
		case []any:
			for _, one := range value {
				walk(path+"[]", one)
			}
		case map[string]any:
			for name, one := range value {
				walk(path+"."+name, one)
			}
		}
	}
	walk("", event)
	if texts < 20 {
		t.Errorf("only %d texts were looked at", texts)
	}
}

func steers(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }

func TestStatus_CountsManyNodes(t *testing.T) {
	board := provisioner.NewBoard(nil)
	for i := range 1000 {
		nodeState := "Ready"
		if i%100 == 7 {
			nodeState = "NotReady"
		}
		board.Fold(provisioner.Event{Type: provisioner.TypeNode, Name: "worker-" + string(rune('a'+i/26%26)) + string(rune('a'+i%26)) + string(rune('a'+i/676)), State: nodeState})
	}
	var out bytes.Buffer
	console.PrintStatus(&out, board, state.Facts{}, handover.Locations{Folder: "/state"})
	if n := strings.Count(out.String(), "NotReady"); n != 10 || !strings.Contains(out.String(), "and 990 ready") {
		t.Errorf("%d nodes are not ready in\n%s", n, out.String())
	}
}

func TestSummary_FindingHintOnce(t *testing.T) {
	board := provisioner.NewBoard(nil)
	board.Fold(provisioner.Event{Type: provisioner.TypeDiagnosis, Name: "r", State: provisioner.Present, Text: "a cause", Hint: "do this"})
	board.Fold(provisioner.Event{Type: provisioner.TypeStep, Step: "s", State: provisioner.Failed, Text: "gave up", Hint: "do this"})
	board.Fold(provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Finished, Result: "failed"})
	var out bytes.Buffer
	console.PrintSummary(&out, board, state.Facts{}, handover.Locations{})
	if strings.Count(out.String(), "do this") != 1 {
		t.Errorf("printed:\n%s", out.String())
	}
}
