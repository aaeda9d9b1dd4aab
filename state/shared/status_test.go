package shared_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/state"
	"exoshift/state/shared"
)

func (m *machine) status(id string) shared.Status {
	m.t.Helper()
	all, err := shared.NewOverview(m.place()).List(m.t.Context())
	check(m.t, err)
	for _, status := range all {
		if status.ID == id {
			return status
		}
	}
	m.t.Fatalf("cluster %s is not among %v", id, all)
	return shared.Status{}
}

func TestWorkspace_KeepsSummaryInHead(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, ben *machine) {
		workspace, folder := anna.open("anna")
		check(t, folder.Write(state.AnswersFile, []byte("answers")))
		holder, phase := workspace.Holder(), "nodes"
		workspace.SetSummarizer(func() shared.Summary {
			return shared.Summary{Phase: phase, Labels: map[string]string{"stage": "prod"}, LastSuccess: time.Now().Truncate(24 * time.Hour), Run: shared.RunSummary{State: shared.RunRunning, Holder: &holder}}
		})
		time.Sleep(3 * time.Second)
		synctest.Wait()
		during := ben.status(cluster)
		if during.Summary == nil || during.Summary.Phase != "nodes" || during.Lease == nil || during.Lease.Holder.Run != "anna" {
			t.Errorf("during the run: %+v", during)
		}
		time.Sleep(time.Minute)
		if later := ben.status(cluster); later.Counter != during.Counter {
			t.Errorf("the head was written %d times without a change", later.Counter-during.Counter)
		}
		synctest.Wait() // nobody reads the phase
		phase = "installed"
		check(t, workspace.Close(t.Context()))
		if after := ben.status(cluster); after.Summary.Phase != "installed" || after.Summary.Labels["stage"] != "prod" {
			t.Errorf("after the run: %+v", after.Summary)
		}
	})
}

func TestListStatuses_OfTamperedHead(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, ben *machine) {
		workspace, _ := anna.open("anna")
		workspace.SetSummarizer(func() shared.Summary { return shared.Summary{Phase: "nodes"} })
		check(t, workspace.Close(t.Context()))
		path := filepath.Join(anna.storage.path, "clusters", cluster, "head.json")
		content, err := os.ReadFile(path)
		check(t, err)
		check(t, os.WriteFile(path, []byte(strings.Replace(string(content), `"phase":"nodes"`, `"phase":"installed"`, 1)), 0o600))
		if status := ben.status(cluster); status.Err == nil || !strings.Contains(status.Err.Error(), "was not written by a member of the team") {
			t.Errorf("it is trusted: %+v", status)
		}
	})
}

func TestRecordCheck_KeepsNewest(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, ben *machine) {
		yes, no := true, false
		workspace, _ := anna.open("anna")
		check(t, workspace.Close(t.Context()))
		counter := anna.status(cluster).Counter
		check(t, shared.NewOverview(anna.place()).RecordCheck(t.Context(), cluster, shared.Check{Counter: counter, Drift: &yes}))
		check(t, shared.NewOverview(ben.place()).RecordCheck(t.Context(), cluster, shared.Check{Counter: counter, Polled: true, NodesReady: 3}))
		if got := anna.status(cluster).Check; got == nil || !*got.Drift || got.NodesReady != 3 || got.Number != 2 {
			t.Errorf("two checks of the same state are %+v", got)
		}
		check(t, shared.NewOverview(ben.place()).RecordCheck(t.Context(), cluster, shared.Check{Counter: counter - 1, Drift: &no}))
		if got := anna.status(cluster).Check; !*got.Drift {
			t.Error("a check of an earlier state replaced that of a later one")
		}
		path := filepath.Join(anna.storage.path, "clusters", cluster, "check.json")
		kept, err := os.ReadFile(path)
		check(t, err)
		check(t, shared.NewOverview(ben.place()).RecordCheck(t.Context(), cluster, shared.Check{Counter: counter, Drift: &no}))
		check(t, anna.status(cluster).Err)
		check(t, os.WriteFile(path, kept, 0o600))
		if err := anna.status(cluster).Err; err == nil || !strings.Contains(err.Error(), "older than the last one on this machine") {
			t.Errorf("an earlier check was put back, and %v", err)
		}
	})
}
