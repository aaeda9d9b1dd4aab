package githost

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// pipelines lists those of a project, the newest first.
func pipelines(c call) answer {
	query, list := c.URL.Query(), []map[string]any{}
	for _, p := range slices.Backward(c.host.pipelines.List()) {
		status := p.status(c.host.config.Clock.Now())
		if !c.owns(p) || query.Has("sha") && query.Get("sha") != p.SHA || query.Has("ref") && query.Get("ref") != defaultBranch ||
			query.Has("status") && query.Get("status") != status {
			continue
		}
		list = append(list, c.pipeline(p))
	}
	return ok(list)
}

// owns tells whether a pipeline is the project's. One without jobs is none, which is known once it is planned.
func (c call) owns(p pipeline) bool {
	return p.Project == c.project.Path && p.Planned && len(p.Jobs) > 0
}

func (c call) pipeline(p pipeline) map[string]any {
	now := c.host.config.Clock.Now()
	body := map[string]any{"id": p.ID, "iid": p.ID - 40999, "project_id": c.project.ID, "sha": p.SHA, "ref": defaultBranch, "source": "push",
		"status": p.status(now), "created_at": stamp(p.Created), "updated_at": stamp(now), "started_at": nil, "finished_at": nil,
		"duration": nil, "web_url": c.link("pipelines", p.ID)}
	if !now.Before(p.started()) {
		body["started_at"] = stamp(p.started())
	}
	if p.done() {
		body["finished_at"], body["updated_at"] = stamp(p.ended()), stamp(p.ended())
		body["duration"] = int(p.ended().Sub(p.started()).Seconds())
	}
	return body
}

func (c call) link(kind string, number int) string {
	return "https://" + c.host.config.Host + "/" + c.project.Path + "/-/" + kind + "/" + strconv.Itoa(number)
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

func (c call) findPipeline() (pipeline, bool) {
	found, known := c.host.pipelines.Get(c.PathValue("pipeline"))
	return found, known && c.owns(found)
}

func onePipeline(c call) answer {
	if found, known := c.findPipeline(); known {
		return ok(c.pipeline(found))
	}
	return message(http.StatusNotFound, "Not found")
}

func latest(c call) answer {
	for _, p := range slices.Backward(c.host.pipelines.List()) {
		if c.owns(p) {
			return ok(c.pipeline(p))
		}
	}
	return message(http.StatusNotFound, "Not found")
}

func jobs(c call) answer {
	found, known := c.findPipeline()
	if !known {
		return message(http.StatusNotFound, "Not found")
	}
	list := []map[string]any{}
	for _, j := range slices.Backward(found.Jobs) {
		list = append(list, c.job(found, j))
	}
	return ok(list)
}

func (c call) job(p pipeline, j job) map[string]any {
	now := c.host.config.Clock.Now()
	body := map[string]any{"id": j.ID, "name": j.Cluster + "_compile", "stage": "deploy", "status": p.jobStatus(j, now), "ref": defaultBranch,
		"allow_failure": false, "created_at": stamp(p.Created), "started_at": nil, "finished_at": nil, "duration": nil,
		"failure_reason": nil, "web_url": c.link("jobs", j.ID),
		"pipeline": map[string]any{"id": p.ID, "project_id": c.project.ID, "sha": p.SHA, "ref": defaultBranch, "status": p.status(now)}}
	if !now.Before(p.started()) {
		body["started_at"], body["duration"] = stamp(p.started()), now.Sub(p.started()).Seconds()
	}
	if j.Result != "" {
		body["finished_at"], body["duration"] = stamp(j.Ends), j.Ends.Sub(p.started()).Seconds()
	}
	if j.Result == failed {
		body["failure_reason"] = "script_failure"
	}
	return body
}

func (c call) findJob() (pipeline, job, bool) {
	for _, p := range c.host.pipelines.List() {
		for _, j := range p.Jobs {
			if c.owns(p) && strconv.Itoa(j.ID) == c.PathValue("job") {
				return p, j, true
			}
		}
	}
	return pipeline{}, job{}, false
}

func oneJob(c call) answer {
	p, j, found := c.findJob()
	if !found {
		return message(http.StatusNotFound, "Not found")
	}
	return ok(c.job(p, j))
}

// trace is what a job has said by now.
func trace(c call) answer {
	p, j, found := c.findJob()
	if !found {
		return message(http.StatusNotFound, "Not found")
	}
	lines := j.Trace
	if j.Result == "" {
		lines = c.host.opening(p, j).lines
	}
	var text []byte
	for _, line := range lines {
		if !line.At.After(c.host.config.Clock.Now()) {
			text = append(text, line.Text...)
		}
	}
	return ok(text)
}
