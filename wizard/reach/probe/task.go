package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
)

// largestTask is in bytes.
const largestTask = 4 << 20

// TaskError is the failure to read a task.
type TaskError struct{ error }

func (e *TaskError) Unwrap() error { return e.error }

// RunTask runs the task that in holds, and writes the report. It returns failed checks in the report; an error means that there
// is no report.
func RunTask(ctx context.Context, net network.Network, in io.Reader, out io.Writer) error {
	var task reach.Task
	if err := json.NewDecoder(io.LimitReader(in, largestTask)).Decode(&task); err != nil {
		return &TaskError{fmt.Errorf("read the task: %w", err)}
	}
	prober, err := New(net, task, connection.DefaultLimits())
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(reach.Run(ctx, task, prober, func(reach.Result) {}))
}
