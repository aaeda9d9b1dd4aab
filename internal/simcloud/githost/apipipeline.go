package githost

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// pipelines lists those of a project, the newest first, without those below others.
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
	return c.pipelineBody(p, p.ID, "push", p.status(c.host.config.Clock.Now()), p.Created)
}

func (c call) child(p pipeline) map[string]any {
	return c.pipelineBody(p, p.ID+1, "parent_pipeline", p.below(c.host.config.Clock.Now()), p.triggered())
}

func (c call) pipelineBody(p pipeline, id int, source, status string, begins time.Time) map[string]any {
	now := c.host.config.Clock.Now()
	body := map[string]any{"id": id, "iid": id - firstPipeline + 1, "project_id": c.project.ID, "sha": p.SHA, "ref": defaultBranch,
		"source": source, "status": status, "created_at": stamp(begins), "updated_at": stamp(now), "started_at": nil, "finished_at": nil,
		"duration": nil, "web_url": c.link("pipelines", id)}
	if status != created && status != pending {
		body["started_at"] = stamp(begins.Add(jobPending))
	}
	if p.done() {
		body["finished_at"], body["updated_at"] = stamp(p.ended()), stamp(p.ended())
		body["duration"] = int(p.ended().Sub(begins.Add(jobPending)).Seconds())
	}
	return body
}

func (c call) link(kind string, number int) string {
	return "https://" + c.host.config.Host + "/" + c.project.Path + "/-/" + kind + "/" + strconv.Itoa(number)
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

// findPipeline finds the pipeline of a request; below tells that it is the one below it.
func (c call) findPipeline() (found pipeline, below, known bool) {
	number, err := strconv.Atoi(c.PathValue("pipeline"))
	if err != nil {
		return pipeline{}, false, false
	}
	below = number%2 != firstPipeline%2
	if below {
		number--
	}
	found, known = c.host.pipelines.Get(strconv.Itoa(number))
	return found, below, known && c.owns(found) && (!below || !c.host.config.Clock.Now().Before(found.triggered()))
}

func onePipeline(c call) answer {
	switch found, below, known := c.findPipeline(); {
	case !known:
		return message(http.StatusNotFound, "Not found")
	case below:
		return ok(c.child(found))
	default:
		return ok(c.pipeline(found))
	}
}

func latest(c call) answer {
	for _, p := range slices.Backward(c.host.pipelines.List()) {
		if c.owns(p) {
			return ok(c.pipeline(p))
		}
	}
	return message(http.StatusNotFound, "Not found")
}

// bridges lists the job that starts the pipeline below.
func bridges(c call) answer {
	found, below, known := c.findPipeline()
	if !known {
		return message(http.StatusNotFound, "Not found")
	}
	if below {
		return ok([]map[string]any{})
	}
	now := c.host.config.Clock.Now()
	bridge := map[string]any{"id": found.ID*1000 + 903, "name": "trigger-pipelines", "stage": "trigger", "status": created, "ref": defaultBranch,
		"created_at": stamp(found.Created), "downstream_pipeline": nil}
	if !now.Before(found.triggered()) {
		bridge["status"], bridge["downstream_pipeline"] = found.status(now), c.child(found)
	}
	return ok([]map[string]any{bridge})
}

// retry starts the jobs that failed once more.
func retry(c call) answer {
	c.host.settling.Lock()
	defer c.host.settling.Unlock()
	found, below, known := c.findPipeline()
	if !known {
		return message(http.StatusNotFound, "Not found")
	}
	found, err := c.host.again(found)
	if err != nil {
		return message(http.StatusInternalServerError, "Internal Server Error")
	}
	if below {
		return answer{http.StatusCreated, c.child(found)}
	}
	return answer{http.StatusCreated, c.pipeline(found)}
}
