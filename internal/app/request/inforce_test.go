package request

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"exoshift/internal/app/changes"
	"exoshift/state"
	"exoshift/wizard/answersfile"
)

// A cluster that was installed before the PROXY protocol was the default keeps what it has, unless it is answered.
func TestReadLayers_KeepsUnansweredOfExistingCluster(t *testing.T) {
	answers := filepath.Join(t.TempDir(), "answers.yaml")
	if err := os.WriteFile(answers, []byte("apiVersion: exoshift/v1alpha1\nkind: Cluster\ncluster: {id: c-1, baseDomain: example.net}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		id    string // of the folder's cluster
		had   bool   // the PROXY protocol
		begun bool
		set   []string
		want  bool
	}{
		"installed without it":                 {"c-1", false, true, nil, false},
		"installed with it":                    {"c-1", true, true, nil, true},
		"installed without it, answered by on": {"c-1", false, true, []string{"loadBalancer.proxyProtocol=true"}, true},
		"installed with it, answered by off":   {"c-1", true, true, []string{"loadBalancer.proxyProtocol=false"}, false},
		"nothing was created yet":              {"c-1", false, false, nil, true},
		"the folder of another cluster":        {"c-2", false, true, nil, true},
	} {
		folder, err := state.Create(filepath.Join(t.TempDir(), "cluster"))
		if err != nil {
			t.Fatal(err)
		}
		spec := state.Default()
		spec.Cluster = state.ClusterSpec{ID: c.id, BaseDomain: "example.net"}
		spec.LoadBalancer.ProxyProtocol = c.had
		if err := folder.Write(state.AnswersFile, answersfile.Export(spec, nil)); err != nil {
			t.Fatal(err)
		}
		if c.begun {
			journal, err := folder.OpenJournal(time.Now)
			if err == nil {
				err = errors.Join(journal.RecordIntent(state.KindZone, "c-1.example.net"), journal.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		merged, err := Request{Answers: answers, Dir: folder.Path(), Set: c.set}.MergeLayers()
		if err != nil {
			t.Fatal(err)
		}
		got := merged.Answers.Spec
		if got.LoadBalancer.ProxyProtocol != c.want {
			t.Errorf("%s: PROXY protocol %t", name, got.LoadBalancer.ProxyProtocol)
		}
		differences, err := changes.Compare(folder, got)
		if err != nil {
			t.Fatal(err)
		}
		for _, difference := range differences {
			if difference.Key == "loadBalancer.proxyProtocol" && len(c.set) == 0 {
				t.Errorf("%s: an unanswered key changes: %+v", name, difference)
			}
		}
	}
}
