package provisioner_test

import (
	"testing"
	"time"

	"exoshift/provisioner"
)

func newEstimateBoard() *provisioner.Board {
	return provisioner.NewBoard(provisioner.Plan{
		{ID: "machines", Title: "Create machines", Usual: 2 * time.Minute},
		{ID: "short", Title: "Wait for the short one", Needs: []string{"machines"}, Usual: 30 * time.Minute},
		{ID: "first", Title: "Wait for the first", Needs: []string{"machines"}, Usual: 20 * time.Minute},
		{ID: "second", Title: "Wait for the second", Needs: []string{"first"}, Usual: 15 * time.Minute},
	})
}

func foldAt(board *provisioner.Board, at time.Time, step, state string) {
	board.Fold(provisioner.Event{Type: provisioner.TypeStep, Step: step, State: state, Time: at})
}

func TestBoard_EstimateFollowsTheLongestChain(t *testing.T) {
	board, began := newEstimateBoard(), time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	board.Fold(provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started, Time: began})
	if got := board.EstimateRemaining(began); got != 37*time.Minute {
		t.Errorf("at the start %v", got)
	}
	foldAt(board, began, "machines", provisioner.Started)
	foldAt(board, began.Add(2*time.Minute), "machines", provisioner.Done)
	for _, step := range []string{"short", "first"} {
		foldAt(board, began.Add(2*time.Minute), step, provisioner.Started)
	}
	rest := board.RemainingTimes(began.Add(7 * time.Minute))
	if rest["short"] != 25*time.Minute || rest["first"] != 30*time.Minute || rest["machines"] != 0 {
		t.Errorf("after seven minutes %v", rest)
	}
}

func TestBoard_EstimateLearnsFromThisRun(t *testing.T) {
	board, began := newEstimateBoard(), time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	foldAt(board, began, "machines", provisioner.Started)
	foldAt(board, began.Add(3*time.Minute), "machines", provisioner.Done) // by half longer than usual
	if got := board.EstimateRemaining(began.Add(3 * time.Minute)); got != 35*time.Minute*3/2 {
		t.Errorf("after a slow step %v", got)
	}
}

func TestBoard_EstimateUnknownWithoutUsualTimes(t *testing.T) {
	board := provisioner.NewBoard(provisioner.Plan{{ID: "only", Title: "Do it"}})
	if got := board.EstimateRemaining(time.Time{}); got != 0 {
		t.Errorf("an estimate out of nothing: %v", got)
	}
}
