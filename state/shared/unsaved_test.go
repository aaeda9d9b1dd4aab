package shared_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"exoshift/state"
)

// TestWorkspace_UnsavedKeysGoWithTheCluster: a copy that could not be stored keeps its keys until the cluster is destroyed, wherever that
// happens.
func TestWorkspace_UnsavedKeysGoWithTheCluster(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, ben *machine) {
		unsaved := func(m *machine, id string) string {
			path := filepath.Join(m.dir, "work", id+"-4711")
			for name, content := range map[string]string{"openshift/auth/kubeconfig": "client-key-data: very-secret", state.JournalFile: "{}", "unsaved": ""} {
				check(t, os.MkdirAll(filepath.Dir(filepath.Join(path, name)), 0o700))
				check(t, os.WriteFile(filepath.Join(path, name), []byte(content), 0o600))
			}
			check(t, os.WriteFile(path+".in-use", nil, 0o600))
			return path
		}
		hasKey := func(path string) bool {
			_, err := os.Stat(filepath.Join(path, "openshift/auth/kubeconfig"))
			return err == nil
		}
		own, other, bens := unsaved(anna, cluster), unsaved(anna, cluster+"-2"), unsaved(ben, cluster)
		workspace, folder := anna.open("anna")
		check(t, folder.Write(state.AnswersFile, []byte("answers")))
		check(t, folder.SaveFacts(state.Facts{ClusterID: cluster}))
		check(t, workspace.Close(t.Context()))
		if !hasKey(own) {
			t.Error("the key of a cluster that is in use is gone")
		}
		workspace, folder = anna.open("anna")
		check(t, folder.SaveFacts(state.Facts{ClusterID: cluster, Destroyed: time.Now()}))
		check(t, workspace.Close(t.Context()))
		if hasKey(own) || !hasKey(other) || !hasKey(bens) {
			t.Errorf("keys are left: of the cluster %t, of another one %t, on another machine %t", hasKey(own), hasKey(other), hasKey(bens))
		}
		if _, err := os.Stat(filepath.Join(own, state.JournalFile)); err != nil {
			t.Errorf("the journal is gone, too: %v", err)
		}
		ben.read(state.FactsFile)
		if hasKey(bens) {
			t.Error("the key is left on a machine that has seen that the cluster is destroyed")
		}
	})
}
