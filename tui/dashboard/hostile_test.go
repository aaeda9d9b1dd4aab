package dashboard

import (
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"exoshift/provisioner"
	"exoshift/tui/tuitest"
)

// poisoned returns an event with tuitest.Hostile text in every field that holds text.
func poisoned() provisioner.Event {
	var e provisioner.Event
	value := reflect.ValueOf(&e).Elem()
	for i := range value.NumField() {
		switch field := value.Field(i); {
		case field.Kind() == reflect.String:
			field.SetString(tuitest.Hostile)
		case field.Type() == reflect.TypeFor[[]string]():
			field.Set(reflect.ValueOf([]string{tuitest.Hostile, tuitest.Hostile}))
		}
	}
	e.Members = []provisioner.Member{{Name: tuitest.Hostile, State: tuitest.Hostile, Revision: 3}}
	e.Steps = []provisioner.PlannedStep{{ID: tuitest.Hostile, Title: tuitest.Hostile, Phase: tuitest.Hostile, Needs: []string{tuitest.Hostile}}}
	e.Ceph = &provisioner.CephStatus{Checks: []string{tuitest.Hostile}}
	return e
}

// It also fails for new fields that are not sanitized.
func TestSanitizeEvent_EveryField(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		e := sanitizeEvent(poisoned(), ascii)
		if found := steering(reflect.ValueOf(e)); found != "" {
			t.Errorf("an event still holds %q", found)
		}
		if e.Members[0].Revision != 3 {
			t.Error("a revision is lost")
		}
	}
}

// steering returns a string of a value that would manipulate a terminal.
func steering(value reflect.Value) string {
	found := ""
	switch value.Kind() {
	case reflect.String:
		if strings.ContainsFunc(value.String(), func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }) {
			return value.String()
		}
	case reflect.Pointer:
		if !value.IsNil() {
			return steering(value.Elem())
		}
	case reflect.Slice:
		for i := range value.Len() {
			found += steering(value.Index(i))
		}
	case reflect.Struct:
		if value.Type() == reflect.TypeFor[time.Time]() {
			return ""
		}
		for i := range value.NumField() {
			found += steering(value.Field(i))
		}
	}
	return found
}

func TestSanitizeEvent_CopiesEvent(t *testing.T) {
	e := poisoned()
	sanitizeEvent(e, false)
	if e.Evidence[0] != tuitest.Hostile || e.Members[0].Name != tuitest.Hostile {
		t.Error("cleaning changes what others hold")
	}
}
