package bootstrap

import (
	"context"
	"time"

	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/journal"
)

// stages runs the stages of the bootstrap. Finished ones leave a file on the disk, so a restarted machine resumes where it was.
type stages struct {
	machine *journal.Machine
	record  *recorder
	cluster *cluster.Cluster
}

func (s *stages) isStageDone(stage string) bool {
	_, ok := s.machine.ReadFile(optOpenShift + stage + ".done")
	return ok
}

// finish: a disk that cannot be written to only costs time after the next start.
func (s *stages) finish(stage string) {
	s.record.end(stage)
	if err := s.machine.WriteFile(optOpenShift+stage+".done", nil); err != nil {
		s.machine.Console("bootkube.service: %s: %v", stage, err)
	}
}

func (s *stages) startStage(stage string) {
	s.record.begin(stage)
	s.machine.Console("%s.service: stage %s", findService(stage), stage)
}

func (s *stages) runStage(ctx context.Context, name string, lasts time.Duration) bool {
	if !s.isStageDone(name) {
		s.startStage(name)
		if s.cluster.WaitScaled(ctx, lasts) != nil {
			return false
		}
		s.finish(name)
	}
	return ctx.Err() == nil
}

// await polls check until it succeeds; its errors are written to the console whenever they change.
func (s *stages) await(ctx context.Context, name string, check func(context.Context) error) bool {
	if s.isStageDone(name) {
		return ctx.Err() == nil
	}
	s.startStage(name)
	shown := ""
	ok := s.cluster.Poll(ctx, 10*time.Second, func(ctx context.Context) bool {
		err := check(ctx)
		if err != nil && err.Error() != shown {
			shown = err.Error()
			s.machine.Console("%s.service: %s: %s", findService(name), name, shown)
		}
		return err == nil
	})
	if ok {
		s.finish(name)
	}
	return ok
}
