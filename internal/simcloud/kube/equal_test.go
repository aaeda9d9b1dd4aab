package kube

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestIsEqual_LikeReflection(t *testing.T) {
	texts := []string{
		`{}`, `null`, `true`, `false`, `0`, `1`, `""`, `"1"`, `[]`, `[1]`, `[2]`, `[1,2]`, `[[1]]`, `{"a":null}`, `{"b":null}`, `{"a":1}`,
		`{"a":2}`, `{"a":1,"b":1}`, `{"a":{"b":[1,"c",{"d":true}]}}`, `{"a":{"b":[1,"c",{"d":false}]}}`, `{"a":{"b":[1,"c",{"d":true}]},"e":0}`,
	}
	for _, one := range texts {
		for _, other := range texts {
			a, b := decoded(t, one), decoded(t, other)
			if got, want := isEqual(a, b), reflect.DeepEqual(a, b); got != want {
				t.Errorf("%s and %s: %t", one, other, got)
			}
		}
	}
}

func decoded(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}
