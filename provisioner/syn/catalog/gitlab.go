package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
)

const (
	askLimit  = time.Minute
	maxAnswer = 4 << 20 // bytes
	maxTrace  = 64 << 20
	keptTrace = 256 << 10
	perPage   = 100 // of a list; GitLab's maximum
	maxPages  = 20
)

var errForeign = errors.New("not a response of GitLab")

// project is a client of GitLab's API for one project.
type project struct {
	repo   repoURL
	id     int64  // 0: unknown
	branch string // whose pipelines count; "": unknown
	token  string
	client *http.Client
	clock  network.Clock
}

type pipeline struct {
	ID     int64  `json:"id"`
	SHA    string `json:"sha"`
	Status string `json:"status"`
	URL    string `json:"web_url"`
}

type job struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"`
	Reason string `json:"failure_reason"` // GitLab's value; "script_failure": the script of the job has failed
	Below  struct {
		ID      int64 `json:"id"`
		Project int64 `json:"project_id"`
	} `json:"downstream_pipeline"` // started by the job, if it is a bridge
}

func (p *project) checkPipelines(ctx context.Context) error {
	var settings struct {
		ID     int64  `json:"id"`
		Branch string `json:"default_branch"`
		Jobs   *bool  `json:"jobs_enabled"`
		Builds string `json:"builds_access_level"`
	}
	if err := p.get(ctx, "", &settings); err != nil {
		return err
	}
	if settings.Jobs != nil && !*settings.Jobs || settings.Builds == "disabled" {
		return fault.Newf(fault.NotFound, compileOp, "%s has no pipelines", p.repo).
			WithHint("enable pipelines for that repository, or install commodore on this machine")
	}
	p.id, p.branch = settings.ID, cmp.Or(p.branch, settings.Branch)
	return nil
}

// findPipeline returns the newest pipeline of a commit, or of any if it is "", on the branch that counts: merge requests and
// other branches have pipelines of the same commit, which push no catalog.
func (p *project) findPipeline(ctx context.Context, commit string) (newest pipeline, found bool, err error) {
	query := url.Values{"order_by": {"id"}, "sort": {"desc"}, "per_page": {"20"}}
	if commit != "" {
		query.Set("sha", commit)
	}
	if p.branch != "" {
		query.Set("ref", p.branch)
	}
	var list []pipeline
	err = p.get(ctx, "/pipelines?"+query.Encode(), &list)
	for _, each := range list {
		if each.ID > newest.ID {
			newest = each
		}
	}
	return newest, len(list) > 0, err
}

// listJobs includes the jobs of child pipelines in this project.
func (p *project) listJobs(ctx context.Context, id int64) ([]job, error) {
	all, err := p.listJobPages(ctx, id, "jobs")
	if err != nil {
		return nil, err
	}
	bridges, err := p.listJobPages(ctx, id, "bridges")
	if fault.Is(err, fault.NotFound) {
		return all, nil
	}
	for _, bridge := range bridges {
		if bridge.Below.ID == 0 || bridge.Below.Project != p.id || err != nil {
			continue
		}
		var below []job
		below, err = p.listJobPages(ctx, bridge.Below.ID, "jobs")
		all = append(all, below...)
	}
	return all, err
}

// listJobPages reads all pages: a tenant may have more clusters than one page has jobs.
func (p *project) listJobPages(ctx context.Context, id int64, kind string) (all []job, err error) {
	for page := 1; page <= maxPages; page++ {
		var some []job
		if err := p.get(ctx, fmt.Sprintf("/pipelines/%d/%s?per_page=%d&page=%d", id, kind, perPage, page), &some); err != nil {
			return nil, err
		}
		if all = append(all, some...); len(some) < perPage {
			break
		}
	}
	return all, nil
}

func (p *project) retry(ctx context.Context, id int64) error {
	return p.request(ctx, http.MethodPost, fmt.Sprintf("/pipelines/%d/retry", id), func(io.Reader) error { return nil })
}

func (p *project) readTrace(ctx context.Context, id int64) ([]byte, error) {
	var end []byte
	err := p.request(ctx, http.MethodGet, fmt.Sprintf("/jobs/%d/trace", id), func(body io.Reader) error {
		part := make([]byte, 32<<10)
		for {
			n, err := body.Read(part)
			end = append(end, part[:n]...)
			if len(end) > 2*keptTrace {
				end = append(end[:0], end[len(end)-keptTrace:]...)
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
	return end, err
}

func (p *project) get(ctx context.Context, path string, into any) error {
	return p.request(ctx, http.MethodGet, path, func(body io.Reader) error {
		content, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
		switch {
		case err != nil:
			return err
		case len(content) > maxAnswer:
			return fault.TooLargeError{What: "the answer", Limit: maxAnswer}
		}
		if json.Unmarshal(content, into) != nil {
			return errForeign
		}
		return nil
	})
}

func (p *project) request(ctx context.Context, method, path string, read func(io.Reader) error) error {
	op := "list the pipelines of " + p.repo.String()
	late, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	root := "https://" + p.repo.hostPort() + "/api/v4/projects/" + url.PathEscape(p.repo.projectPath())
	request, err := http.NewRequestWithContext(late, method, root+path, nil)
	if err != nil {
		return fault.New(fault.Internal, op, err)
	}
	request.Header.Set("PRIVATE-TOKEN", p.token)
	response, err := p.client.Do(request)
	if fault.IsTooLarge(err) {
		return p.toAnswerFault(op, err)
	}
	if err != nil {
		return toConnectFault(ctx, p.repo, err)
	}
	defer func() { _ = response.Body.Close() }()
	if err := p.checkStatus(op, response.StatusCode); err != nil {
		return err
	}
	err = read(response.Body)
	if errors.Is(err, errForeign) || fault.IsTooLarge(err) {
		return p.toAnswerFault(op, err)
	}
	if err != nil {
		return fault.New(fault.Transient, op, fmt.Errorf("read the answer: %w", network.DescribeError(err)))
	}
	return nil
}

func (p *project) toAnswerFault(op string, err error) error {
	return fault.New(fault.Invalid, op, network.DescribeError(err)).
		WithHint("check that %s is GitLab, and whether a proxy or a login page answers instead", p.repo.host)
}

func (p *project) checkStatus(op string, status int) error {
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fault.Newf(fault.Denied, op, "%s rejects the token (%d)", p.repo.host, status).
			WithHint("use a valid token of %s with the scope api", p.repo.host)
	case status == http.StatusNotFound:
		return fault.Newf(fault.NotFound, op, "no such project, or no access to it").
			WithHint("check that your account at %s has access to it", p.repo.host)
	case status >= 500, status == http.StatusTooManyRequests:
		return fault.Newf(fault.Transient, op, "%s answers %d", p.repo.host, status)
	}
	return fault.Newf(fault.Internal, op, "%s answers %d", p.repo.host, status)
}
