package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
)

const (
	// startLimit is how long a pipeline takes at most to exist after its commit.
	startLimit = 2 * time.Minute
	// runnerLimit is how long a runner usually takes at most to begin with a job.
	runnerLimit = 5 * time.Minute
	pollPeriod  = 5 * time.Second
	// mostMisses is how often in a row the host may fail to answer.
	mostMisses = 24
)

// noPipeline is that nothing compiles the cluster at the Git host.
type noPipeline struct{ reason string }

func (n noPipeline) Error() string { return n.reason }

// notFound makes it an error for people.
func (n noPipeline) notFound() error {
	return fault.New(fault.NotFound, compile, n).
		WithHint("have enableCompilePipeline set for the cluster in Lieutenant, and the pipeline for its tenant; or install commodore on this machine")
}

// watch follows the pipeline of one commit for one cluster.
type watch struct {
	*project
	cluster, commit string
	said            func(string)
	began           time.Time
	last            string // that was said
	seen            string // status that was seen last
	since           time.Time
	known           bool // whose pipelines count
	retried         bool
	looked          bool
}

// scriptFailed is GitLab's word for a job whose own words say why it failed.
const scriptFailed = "script_failure"

// follow waits until the pipeline of a commit has compiled a cluster.
func (p *project) follow(ctx context.Context, cluster, commit string, said func(string)) error {
	w := &watch{project: p, cluster: cluster, commit: commit, said: said, began: p.clock.Now()}
	for misses := 0; ; {
		done, err := w.look(ctx)
		switch {
		case done, err != nil && (!fault.Is(err, fault.Transient) || misses >= mostMisses):
			return err
		case err != nil:
			misses++
			w.say("the Git host does not answer, which may pass: " + shorten(err.Error(), mostRemark))
		default:
			misses = 0
		}
		if p.clock.Now().Sub(w.began) > compileLimit {
			return fault.Newf(fault.Timeout, compile, "the pipeline of %s has not ended within %s", p.place, compileLimit).
				WithHint("look at the pipelines of that repository; then run this again")
		}
		if err := p.clock.Sleep(ctx, pollPeriod); err != nil {
			return fmt.Errorf("%s: %w", compile, err)
		}
	}
}

func (w *watch) say(text string) {
	if text != w.last {
		w.last = text
		w.said(text)
	}
}

// look takes one look; done: nothing more will happen.
func (w *watch) look(ctx context.Context) (done bool, err error) {
	if !w.known {
		if err := w.ready(ctx); err != nil {
			return false, err
		}
		w.known = true
	}
	newest, found, err := w.newest(ctx, w.commit)
	if err != nil {
		return false, err
	}
	if !found {
		if w.clock.Now().Sub(w.began) < startLimit {
			w.say("waits for a pipeline of commit " + w.commit[:min(len(w.commit), 8)])
			return false, nil
		}
		none := noPipeline{fmt.Sprintf("%s has started no pipeline for the commit within %s: compiling is not turned on there", w.place, startLimit)}
		return true, none.notFound()
	}
	jobs, err := w.jobs(ctx, newest.ID)
	if err != nil {
		return false, err
	}
	first := !w.looked
	w.looked = true
	return w.judge(ctx, newest, jobs, first)
}

// judge says how far a pipeline is.
func (w *watch) judge(ctx context.Context, run pipeline, jobs []job, first bool) (done bool, err error) {
	status, ours := w.status(run, jobs)
	if ours == nil && others(jobs) && (status == "success" || status == "failed") {
		none := noPipeline{fmt.Sprintf("the pipeline of %s compiles other clusters, and not %s", w.place, w.cluster)}
		return true, none.notFound()
	}
	switch status {
	case "success":
		w.say(fmt.Sprintf("pipeline %d has compiled the catalog", run.ID))
		return true, nil
	case "failed", "canceled":
		if goes, err := w.goesOn(ctx, run, status, first); goes || err != nil {
			return false, err
		}
		return true, w.failed(ctx, run, jobs, ours, status)
	case "skipped", "manual":
		return true, w.idle(run, status)
	}
	w.progress(run, status)
	return false, nil
}

// status is that of a pipeline. Of the pipeline of many clusters, only the job of this one counts.
func (w *watch) status(run pipeline, jobs []job) (status string, ours *job) {
	ours = w.ours(jobs)
	switch {
	case ours == nil:
		return run.Status, nil
	case ours.Status == "skipped" && slices.ContainsFunc(jobs, isFailed): // because of what failed in front of it
		return "failed", ours
	}
	return ours.Status, ours
}

// goesOn tells whether there is something to wait for although a pipeline has ended: a newer one that has taken its place,
// or itself, started again.
func (w *watch) goesOn(ctx context.Context, run pipeline, status string, first bool) (bool, error) {
	if status == "canceled" {
		newest, found, err := w.newest(ctx, "")
		if err != nil {
			return false, err
		}
		if found && newest.ID > run.ID && newest.SHA != w.commit { // GitLab stops one as soon as the branch has a newer commit
			w.commit, w.looked = newest.SHA, false
			w.say(fmt.Sprintf("pipeline %d was stopped, and %d is that of a newer commit", run.ID, newest.ID))
			return true, nil
		}
	}
	if !first || w.retried {
		return false, nil
	}
	w.retried = true                 // it ended before anybody waited for it: what it lacked may be there by now
	if w.retry(ctx, run.ID) != nil { // why it has ended is what counts
		return false, nil
	}
	w.say(fmt.Sprintf("pipeline %d had %s; it is started again", run.ID, status))
	return true, nil
}

// progress says how far a pipeline is that has not ended, and that one which does not begin may need somebody.
func (w *watch) progress(run pipeline, status string) {
	now := w.clock.Now()
	if status != w.seen {
		w.seen, w.since = status, now
	}
	text := fmt.Sprintf("pipeline %d is %s", run.ID, shorten(printable(status), 50))
	if slices.Contains([]string{"created", "pending", "waiting_for_resource"}, status) && now.Sub(w.since) >= runnerLimit {
		text += fmt.Sprintf(" since %s: perhaps no runner takes its jobs; see %s", runnerLimit, shorten(printable(run.URL), mostURL))
	}
	w.say(text)
}

// idle is that nothing will happen unless somebody starts it.
func (w *watch) idle(run pipeline, status string) error {
	hint := "start it by hand, then run this again: %s"
	if status == "skipped" {
		hint = "have that branch run a new pipeline, then run this again: %s"
	}
	return fault.Newf(fault.Waiting, compile, "pipeline %d of %s is %s", run.ID, w.place, status).
		WithHint(hint, shorten(printable(run.URL), mostURL))
}

func isFailed(j job) bool { return j.Status == "failed" }

// ours is the job that compiles and pushes the cluster's catalog.
func (w *watch) ours(jobs []job) *job {
	var found *job
	for i, each := range jobs {
		if each.Name == w.cluster+"_deploy" && (found == nil || each.ID > found.ID) {
			found = &jobs[i]
		}
	}
	return found
}

// others tells whether there are jobs for clusters.
func others(jobs []job) bool {
	return slices.ContainsFunc(jobs, func(j job) bool { return strings.HasSuffix(j.Name, "_deploy") })
}

// failed says why a pipeline failed, by the words of the job that did.
func (w *watch) failed(ctx context.Context, run pipeline, jobs []job, ours *job, status string) error {
	where := shorten(printable(run.URL), mostURL)
	if status == "canceled" {
		return fault.Newf(fault.Waiting, compile, "somebody stopped pipeline %d of %s", run.ID, w.place).
			WithHint("find out why, then run this again: %s", where)
	}
	if ours == nil || !isFailed(*ours) {
		for i, each := range jobs {
			if isFailed(each) {
				ours = &jobs[i]
			}
		}
	}
	if ours == nil || !isFailed(*ours) {
		return fault.Newf(fault.Invalid, compile, "pipeline %d of %s failed", run.ID, w.place).WithHint("look at it: %s", where)
	}
	name := shorten(printable(ours.Name), 100)
	if ours.Reason != "" && ours.Reason != scriptFailed {
		return fault.Newf(fault.Waiting, compile, "the job %s did not run to its end: %s", name, shorten(printable(strings.ReplaceAll(ours.Reason, "_", " ")), 100)).
			WithHint("ask those who run the pipelines of %s, then run this again: %s", w.place.host, where)
	}
	text, err := w.trace(ctx, ours.ID)
	if err != nil {
		return fault.New(fault.Invalid, compile, errors.Join(fmt.Errorf("the job %s failed", name), err)).
			WithHint("look at it: %s", where)
	}
	return broken(reason(text), fmt.Sprintf("correct the configuration, then run again; the job %s of pipeline %d says more: %s", name, run.ID, where))
}
