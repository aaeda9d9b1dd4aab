package kube

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/simcloud/store"
)

func TestIndex_PodsByNode(t *testing.T) {
	o, err := Load(store.NewMemory(), "objects", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"c", "a", "b"} {
		pod := Object{"metadata": Object{"name": name}, "spec": Object{"nodeName": "one"}}
		if _, err := o.Create(pods, "default", pod); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := o.Update(pods, "default", "b", func(pod Object) error {
		pod.Set(nodeName, "two")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Delete(pods, "default", "c"); err != nil {
		t.Fatal(err)
	}
	for fields, want := range map[string][]string{
		"": {"a", "b"}, "spec.nodeName=one": {"a"}, "spec.nodeName=two": {"b"}, "spec.nodeName=three": nil, "status.phase=Running": {"a", "b"},
	} {
		selected, err := parseSelector(fields)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		entries, _, _ := o.ListEntries(pods, "default", selected)
		for _, entry := range entries {
			got = append(got, entry.Object.Name())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the pods with %q: %s", fields, diff)
		}
	}
}
