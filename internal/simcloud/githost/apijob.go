package githost

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/simcloud/githost/commodore"
)

// listOwnJobs returns the parent pipeline's own jobs, the newest first.
func listOwnJobs(p pipeline) []check {
	return []check{
		{p.ID*1000 + 902, "create-pipelines", "build", p.Created.Add(lintedAt), p.Created.Add(plannedAt)},
		{p.ID*1000 + 901, "commodore-lint", "lint", p.Created.Add(pendingUntil), p.Created.Add(lintedAt)},
		{p.ID*1000 + 900, "yamllint", "lint", p.Created.Add(pendingUntil), p.Created.Add(lintedAt)},
	}
}

type check struct {
	id           int
	name, stage  string
	begins, ends time.Time
}

func (k check) computeStatus(now time.Time) string {
	switch {
	case now.Before(k.begins):
		return created
	case now.Before(k.ends):
		return running
	}
	return success
}

func listJobs(c call) apiResponse {
	if p, ok := findInfrastructure(c); ok && c.PathValue("pipeline") == strconv.Itoa(p.ID) {
		return newResponse(p.listJobs(c))
	}
	found, below, known := c.findPipeline()
	if !known {
		return newMessageResponse(http.StatusNotFound, "Not found")
	}
	list := []map[string]any{}
	if !below {
		for _, k := range listOwnJobs(found) {
			list = append(list, c.check(found, k))
		}
		return newResponse(list)
	}
	for _, j := range slices.Backward(found.Jobs) {
		list = append(list, c.renderJob(found, j))
	}
	return newResponse(list)
}

func (c call) check(p pipeline, k check) map[string]any {
	status := k.computeStatus(c.host.config.Clock.Now())
	return c.renderJobBody(c.renderPipeline(p), job{ID: k.id, Begins: k.begins, Ends: k.ends}, k.name, k.stage, status)
}

func (c call) renderJob(p pipeline, j job) map[string]any {
	return c.renderJobBody(c.renderChildPipeline(p), j, j.Cluster+"_deploy", "deploy", j.computeStatus(c.host.config.Clock.Now()))
}

func (c call) renderJobBody(of map[string]any, j job, name, stage, status string) map[string]any {
	body := map[string]any{"id": j.ID, "name": name, "stage": stage, "status": status, "ref": defaultBranch, "allow_failure": false,
		"created_at": of["created_at"], "started_at": nil, "finished_at": nil, "duration": nil, "failure_reason": nil,
		"web_url": c.link("jobs", j.ID), "pipeline": of}
	if status == running || status == success || status == failed {
		body["started_at"] = formatTime(j.Begins)
	}
	if status == success || status == failed {
		body["finished_at"], body["duration"] = formatTime(j.Ends), j.Ends.Sub(j.Begins).Seconds()
	}
	if status == failed {
		body["failure_reason"] = "script_failure"
	}
	return body
}

// findJob returns a job's API representation and its trace.
func (c call) findJob() (body map[string]any, lines []commodore.TraceLine, found bool) {
	number, err := strconv.Atoi(c.PathValue("job"))
	p, known := c.host.pipelines.table.Get(strconv.Itoa(number / 1000))
	if err != nil || !known || !c.isOwner(p) {
		return nil, nil, false
	}
	for _, k := range listOwnJobs(p) {
		if k.id == number {
			return c.check(p, k), []commodore.TraceLine{{At: k.ends, Text: commodore.Succeeded + "\n"}}, true
		}
	}
	for _, j := range p.Jobs {
		if j.ID == number && j.Result == "" {
			return c.renderJob(p, j), commodore.NewTrace(j.Begins, p.SHA, j.Cluster).Lines, true
		} else if j.ID == number {
			return c.renderJob(p, j), j.Trace, true
		}
	}
	return nil, nil, false
}

func getJob(c call) apiResponse {
	body, _, found := c.findJob()
	if !found {
		return newMessageResponse(http.StatusNotFound, "Not found")
	}
	return newResponse(body)
}

func trace(c call) apiResponse {
	if p, ok := findInfrastructure(c); ok && strings.HasPrefix(c.PathValue("job"), strconv.Itoa(p.ID)) {
		return newResponse(p.renderTrace(c.PathValue("job")))
	}
	_, lines, found := c.findJob()
	if !found {
		return newMessageResponse(http.StatusNotFound, "Not found")
	}
	var text []byte
	for _, line := range lines {
		if !line.At.After(c.host.config.Clock.Now()) {
			text = append(text, line.Text...)
		}
	}
	return newResponse(text)
}
