package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/text"
)

const (
	// startLimit bounds the wait for a pipeline after its commit.
	startLimit = 2 * time.Minute
	// runnerLimit is how long it usually takes at most until a runner starts a job.
	runnerLimit = 5 * time.Minute
	pollPeriod  = 5 * time.Second
	// maxMisses is how many consecutive requests may get no response.
	maxMisses = 24
)

// noPipelineError means that no pipeline of the Git host compiles the cluster.
type noPipelineError struct{ reason string }

func (n noPipelineError) Error() string { return n.reason }

func (n noPipelineError) toFault() error {
	return fault.New(fault.NotFound, compileOp, n).
		WithHint("have enableCompilePipeline set for the cluster in Lieutenant, and the pipeline for its tenant; or install commodore on this machine")
}

type pipelineWatch struct {
	*project
	cluster, commit string
	onReport        func(string)
	began           time.Time
	lastReport      string // the last report
	lastStatus      string // the last status
	since           time.Time
	known           bool // the project has pipelines
	retried         bool
	polled          bool
}

// scriptFailed is GitLab's reason of a job whose output has the cause of the failure.
const scriptFailed = "script_failure"

func (p *project) waitPipeline(ctx context.Context, cluster, commit string, remote func(string)) error {
	w := &pipelineWatch{project: p, cluster: cluster, commit: commit, onReport: remote, began: p.clock.Now()}
	for misses := 0; ; {
		done, err := w.poll(ctx)
		switch {
		case done, err != nil && (!fault.Is(err, fault.Transient) || misses >= maxMisses):
			return err
		case err != nil:
			misses++
			w.report("the Git host does not respond: " + truncateText(err.Error(), maxRemoteOutput))
		default:
			misses = 0
		}
		if p.clock.Now().Sub(w.began) > compileLimit {
			return fault.Newf(fault.Timeout, compileOp, "the pipeline of %s has not ended within %s", p.repo, compileLimit).
				WithHint("check the pipelines of that repository; then run again")
		}
		if err := p.clock.Sleep(ctx, pollPeriod); err != nil {
			return fmt.Errorf("%s: %w", compileOp, err)
		}
	}
}

func (w *pipelineWatch) report(text string) {
	if text != w.lastReport {
		w.lastReport = text
		w.onReport(text)
	}
}

// poll returns done when the result is final.
func (w *pipelineWatch) poll(ctx context.Context) (done bool, err error) {
	if !w.known {
		if err := w.checkPipelines(ctx); err != nil {
			return false, err
		}
		w.known = true
	}
	newest, found, err := w.findPipeline(ctx, w.commit)
	if err != nil {
		return false, err
	}
	if !found {
		if w.clock.Now().Sub(w.began) < startLimit {
			w.report("waits for a pipeline of commit " + w.commit[:min(len(w.commit), 8)])
			return false, nil
		}
		none := noPipelineError{fmt.Sprintf("%s has started no pipeline for the commit within %s: compiling is not turned on there", w.repo, startLimit)}
		return true, none.toFault()
	}
	jobs, err := w.listJobs(ctx, newest.ID)
	if err != nil {
		return false, err
	}
	first := !w.polled
	w.polled = true
	return w.handlePipeline(ctx, newest, jobs, first)
}

func (w *pipelineWatch) handlePipeline(ctx context.Context, run pipeline, jobs []job, first bool) (done bool, err error) {
	status, ours := w.resolveStatus(run, jobs)
	if ours == nil && hasDeployJobs(jobs) && (status == "success" || status == "failed") {
		none := noPipelineError{fmt.Sprintf("the pipeline of %s compiles other clusters, and not %s", w.repo, w.cluster)}
		return true, none.toFault()
	}
	switch status {
	case "success":
		w.report(fmt.Sprintf("pipeline %d has compiled the catalog", run.ID))
		return true, nil
	case "failed", "canceled":
		if goes, err := w.retryEnded(ctx, run, status, first); goes || err != nil {
			return false, err
		}
		return true, w.toPipelineFault(ctx, run, jobs, ours, status)
	case "skipped", "manual":
		return true, w.newIdleError(run, status)
	}
	w.reportProgress(run, status)
	return false, nil
}

// resolveStatus returns the status of the cluster's job, if the pipeline compiles many clusters, else the pipeline's.
func (w *pipelineWatch) resolveStatus(run pipeline, jobs []job) (status string, ours *job) {
	ours = w.findJob(jobs)
	switch {
	case ours == nil:
		return run.Status, nil
	case ours.Status == "skipped" && slices.ContainsFunc(jobs, isFailed): // because of an earlier job's failure
		return "failed", ours
	}
	return ours.Status, ours
}

// retryEnded reports whether waiting makes sense although a pipeline has ended: a newer one has replaced it, or it was retried.
func (w *pipelineWatch) retryEnded(ctx context.Context, run pipeline, status string, first bool) (bool, error) {
	if status == "canceled" {
		newest, found, err := w.findPipeline(ctx, "")
		if err != nil {
			return false, err
		}
		if found && newest.ID > run.ID && newest.SHA != w.commit { // GitLab cancels a pipeline when the branch has a newer commit
			w.commit, w.polled = newest.SHA, false
			w.report(fmt.Sprintf("pipeline %d was stopped, and %d is that of a newer commit", run.ID, newest.ID))
			return true, nil
		}
	}
	if !first || w.retried {
		return false, nil
	}
	w.retried = true                 // it ended before the wait began: what it lacked may exist by now
	if w.retry(ctx, run.ID) != nil { // the reason of its end is reported instead
		return false, nil
	}
	w.report(fmt.Sprintf("pipeline %d had %s; it is started again", run.ID, status))
	return true, nil
}

func (w *pipelineWatch) reportProgress(run pipeline, status string) {
	now := w.clock.Now()
	if status != w.lastStatus {
		w.lastStatus, w.since = status, now
	}
	message := fmt.Sprintf("pipeline %d is %s", run.ID, text.Sanitize(status, text.WithLimit(50)))
	if slices.Contains([]string{"created", "pending", "waiting_for_resource"}, status) && now.Sub(w.since) >= runnerLimit {
		message += fmt.Sprintf(" since %s: perhaps no runner is available; see %s", runnerLimit, text.Sanitize(run.URL, text.WithLimit(maxURL)))
	}
	w.report(message)
}

func (w *pipelineWatch) newIdleError(run pipeline, status string) error {
	hint := "start it manually, then run again: %s"
	if status == "skipped" {
		hint = "start a new pipeline for that branch, then run again: %s"
	}
	return fault.Newf(fault.Waiting, compileOp, "pipeline %d of %s is %s", run.ID, w.repo, status).
		WithHint(hint, text.Sanitize(run.URL, text.WithLimit(maxURL)))
}

func isFailed(j job) bool { return j.Status == "failed" }

// findJob returns the job that compiles and pushes the cluster's catalog.
func (w *pipelineWatch) findJob(jobs []job) *job {
	var found *job
	for i, each := range jobs {
		if each.Name == w.cluster+"_deploy" && (found == nil || each.ID > found.ID) {
			found = &jobs[i]
		}
	}
	return found
}

func hasDeployJobs(jobs []job) bool {
	return slices.ContainsFunc(jobs, func(j job) bool { return strings.HasSuffix(j.Name, "_deploy") })
}

func (w *pipelineWatch) toPipelineFault(ctx context.Context, run pipeline, jobs []job, ours *job, status string) error {
	where := text.Sanitize(run.URL, text.WithLimit(maxURL))
	if status == "canceled" {
		return fault.Newf(fault.Waiting, compileOp, "pipeline %d of %s was stopped by someone", run.ID, w.repo).
			WithHint("find out why, then run again: %s", where)
	}
	if ours == nil || !isFailed(*ours) {
		for i, each := range jobs {
			if isFailed(each) {
				ours = &jobs[i]
			}
		}
	}
	if ours == nil || !isFailed(*ours) {
		return fault.Newf(fault.Invalid, compileOp, "pipeline %d of %s failed", run.ID, w.repo).WithHint("see %s", where)
	}
	name := text.Sanitize(ours.Name, text.WithLimit(100))
	if ours.Reason != "" && ours.Reason != scriptFailed {
		return fault.Newf(fault.Waiting, compileOp, "the job %s did not finish: %s", name, text.Sanitize(strings.ReplaceAll(ours.Reason, "_", " "), text.WithLimit(100))).
			WithHint("ask the operator of the pipelines of %s, then run again: %s", w.repo.host, where)
	}
	text, err := w.readTrace(ctx, ours.ID)
	if err != nil {
		return fault.New(fault.Invalid, compileOp, errors.Join(fmt.Errorf("the job %s failed", name), err)).
			WithHint("see %s", where)
	}
	return newCompileError(extractReason(text), fmt.Sprintf("correct the configuration, then run again; for details see the job %s of pipeline %d: %s", name, run.ID, where))
}
