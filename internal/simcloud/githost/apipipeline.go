package githost

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// listPipelines lists a project's pipelines, the newest first, without child pipelines.
func listPipelines(c call) apiResponse {
	if p, ok := findInfrastructure(c); ok {
		return newResponse([]map[string]any{p.render(c)})
	}
	query, list := c.URL.Query(), []map[string]any{}
	for _, p := range slices.Backward(c.host.pipelines.table.List()) {
		status := p.computeStatus(c.host.config.Clock.Now())
		if !c.isOwner(p) || query.Has("sha") && query.Get("sha") != p.SHA || query.Has("ref") && query.Get("ref") != defaultBranch ||
			query.Has("status") && query.Get("status") != status {
			continue
		}
		list = append(list, c.renderPipeline(p))
	}
	return newResponse(list)
}

// isOwner: a planned pipeline without jobs does not exist.
func (c call) isOwner(p pipeline) bool {
	return p.Project == c.project.Path && p.Planned && len(p.Jobs) > 0
}

func (c call) renderPipeline(p pipeline) map[string]any {
	return c.renderPipelineBody(p, p.ID, "push", p.computeStatus(c.host.config.Clock.Now()), p.Created)
}

func (c call) renderChildPipeline(p pipeline) map[string]any {
	return c.renderPipelineBody(p, p.ID+1, "parent_pipeline", p.computeChildStatus(c.host.config.Clock.Now()), p.triggeredAt())
}

func (c call) renderPipelineBody(p pipeline, id int, source, status string, begins time.Time) map[string]any {
	now := c.host.config.Clock.Now()
	body := map[string]any{"id": id, "iid": id - firstPipeline + 1, "project_id": c.project.ID, "sha": p.SHA, "ref": defaultBranch,
		"source": source, "status": status, "created_at": formatTime(begins), "updated_at": formatTime(now), "started_at": nil, "finished_at": nil,
		"duration": nil, "web_url": c.link("pipelines", id)}
	if status != created && status != pending {
		body["started_at"] = formatTime(begins.Add(jobPending))
	}
	if p.isDone() {
		body["finished_at"], body["updated_at"] = formatTime(p.endedAt()), formatTime(p.endedAt())
		body["duration"] = int(p.endedAt().Sub(begins.Add(jobPending)).Seconds())
	}
	return body
}

func (c call) link(kind string, number int) string {
	return "https://" + c.host.config.Host + "/" + c.project.Path + "/-/" + kind + "/" + strconv.Itoa(number)
}

func formatTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

// findPipeline: below reports whether the request is for the child pipeline.
func (c call) findPipeline() (found pipeline, below, known bool) {
	number, err := strconv.Atoi(c.PathValue("pipeline"))
	if err != nil {
		return pipeline{}, false, false
	}
	below = number%2 != firstPipeline%2
	if below {
		number--
	}
	found, known = c.host.pipelines.table.Get(strconv.Itoa(number))
	return found, below, known && c.isOwner(found) && (!below || !c.host.config.Clock.Now().Before(found.triggeredAt()))
}

func getPipeline(c call) apiResponse {
	if p, ok := findInfrastructure(c); ok && c.PathValue("pipeline") == strconv.Itoa(p.ID) {
		return newResponse(p.render(c))
	}
	switch found, below, known := c.findPipeline(); {
	case !known:
		return newMessageResponse(http.StatusNotFound, "Not found")
	case below:
		return newResponse(c.renderChildPipeline(found))
	default:
		return newResponse(c.renderPipeline(found))
	}
}

func getLatestPipeline(c call) apiResponse {
	for _, p := range slices.Backward(c.host.pipelines.table.List()) {
		if c.isOwner(p) {
			return newResponse(c.renderPipeline(p))
		}
	}
	return newMessageResponse(http.StatusNotFound, "Not found")
}

// listBridges lists the job that triggers the child pipeline.
func listBridges(c call) apiResponse {
	found, below, known := c.findPipeline()
	if !known {
		return newMessageResponse(http.StatusNotFound, "Not found")
	}
	if below {
		return newResponse([]map[string]any{})
	}
	now := c.host.config.Clock.Now()
	bridge := map[string]any{"id": found.ID*1000 + 903, "name": "trigger-pipelines", "stage": "trigger", "status": created, "ref": defaultBranch,
		"created_at": formatTime(found.Created), "downstream_pipeline": nil}
	if !now.Before(found.triggeredAt()) {
		bridge["status"], bridge["downstream_pipeline"] = found.computeStatus(now), c.renderChildPipeline(found)
	}
	return newResponse([]map[string]any{bridge})
}

func retry(c call) apiResponse {
	c.host.pipelines.lock.Lock()
	defer c.host.pipelines.lock.Unlock()
	found, below, known := c.findPipeline()
	if !known {
		return newMessageResponse(http.StatusNotFound, "Not found")
	}
	found, err := c.host.pipelines.retry(found)
	if err != nil {
		return newMessageResponse(http.StatusInternalServerError, "Internal Server Error")
	}
	if below {
		return apiResponse{http.StatusCreated, c.renderChildPipeline(found)}
	}
	return apiResponse{http.StatusCreated, c.renderPipeline(found)}
}
