package gitlablock

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/text"
	"exoshift/state/lease"
)

// Location is a project of a GitLab, and how it is accessed.
type Location struct {
	Server   string // URL, e.g. https://gitlab.com
	Project  string // path or number
	User     string // "gitlab-ci-token" with the token of a job; any with a personal one
	Password string
}

// answers are short.
var limits = network.Limits{Bytes: 1 << 20, Time: 30 * time.Second} //nolint:gochecknoglobals // a table that nothing changes

// Open returns the locks of a project, whose records are kept in another store. It sends no requests.
func Open(net network.Network, at Location, records lease.Store) (*Store, error) {
	const op = "open the locks in GitLab"
	server, err := url.Parse(at.Server)
	switch {
	case err != nil || server.Host == "" || server.User != nil || server.RawQuery != "":
		return nil, fault.Newf(fault.Invalid, op, "%q is not an address like https://gitlab.com", at.Server)
	case server.Scheme != "https":
		return nil, fault.Newf(fault.Invalid, op, "%q does not begin with https://, and tokens go over TLS only", at.Server)
	case at.Project == "":
		return nil, fault.Newf(fault.Invalid, op, "there is no project").WithHint("name it: --lock gitlab:GROUP/PROJECT")
	case at.Password == "":
		return nil, fault.Newf(fault.Denied, op, "there is no token for %s", server.Host).
			WithHint("set GITLAB_TOKEN to a token with the scope api, of somebody with the role Maintainer; in a job CI_JOB_TOKEN serves")
	}
	client := &http.Client{Transport: limits.Wrap(net.Observed(net.NewTransport())), CheckRedirect: network.KeepRedirect}
	base := strings.TrimRight(at.Server, "/") + "/api/v4/projects/" + url.PathEscape(at.Project) + "/terraform/state/"
	return &Store{&project{at, client, base}, records}, nil
}

// Close closes idle connections.
func (s *Store) Close() { s.project.client.CloseIdleConnections() }

type project struct {
	at     Location
	client *http.Client
	base   string
}

// info describes a lock in Terraform's format; GitLab requires every field.
type info struct {
	ID        string `json:"ID"`
	Operation string `json:"Operation"`
	Info      string `json:"Info"`
	Who       string `json:"Who"`
	Version   string `json:"Version"`
	Created   string `json:"Created"`
	Path      string `json:"Path"`
}

// lock takes the lock of a state. free: it was free, and is held by id now; otherwise held says who has it.
func (p *project) lock(ctx context.Context, name, id string, holder lease.Holder) (held info, free bool, err error) {
	content, err := json.Marshal(info{
		ID: id, Operation: "exoshift " + holder.Verb, Info: id, Who: holder.User + "@" + holder.Host, Version: "exoshift",
		Created: time.Now().UTC().Format(time.RFC3339Nano), Path: name,
	})
	if err != nil {
		return held, false, fmt.Errorf("lock: %w", err)
	}
	status, answer, err := p.send(ctx, http.MethodPost, name, "", content)
	switch {
	case err != nil:
		return held, false, err
	case status == http.StatusOK:
		return held, true, nil
	case status != http.StatusConflict && status != http.StatusLocked:
		return held, false, p.explain(status, answer)
	}
	if err := json.Unmarshal(answer, &held); err != nil || held.ID == "" {
		return held, false, fault.Newf(fault.Invalid, "read who holds the lock", "the answer of %s is not that of GitLab", p.at.Server)
	}
	return held, false, nil
}

// unlock deletes a lock by its ID. freed is false if there is no lock of that ID.
func (p *project) unlock(ctx context.Context, name, id string) (freed bool, err error) {
	if id == "" {
		return false, errors.New("unlock: without an ID any lock would be deleted")
	}
	status, answer, err := p.send(ctx, http.MethodDelete, name, "?"+url.Values{"ID": {id}}.Encode(), nil)
	switch {
	case err != nil:
		return false, err
	case status == http.StatusConflict, status == http.StatusLocked, status == http.StatusNotFound:
		return false, nil
	case status != http.StatusOK && status != http.StatusNoContent:
		return false, p.explain(status, answer)
	}
	return true, nil
}

func (p *project) send(ctx context.Context, method, name, query string, content []byte) (status int, answer []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, method, p.base+url.PathEscape(name)+"/lock"+query, bytes.NewReader(content))
	if err != nil {
		return 0, nil, fmt.Errorf("ask GitLab: %w", err)
	}
	request.SetBasicAuth(p.at.User, p.at.Password)
	request.Header.Set("Content-Type", "application/json")
	response, err := p.client.Do(request)
	if err != nil {
		return 0, nil, p.newTransient(ctx, err)
	}
	defer response.Body.Close()
	if answer, err = io.ReadAll(response.Body); err != nil {
		return 0, nil, p.newTransient(ctx, err)
	}
	return response.StatusCode, answer, nil
}

func (p *project) newTransient(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fault.New(fault.KindOf(ctx.Err()), "ask GitLab", context.Cause(ctx))
	}
	return fault.New(fault.Transient, "ask GitLab at "+p.at.Server, network.DescribeError(err)).WithHint("check that this machine reaches it, then run again")
}

// maxMessage is in characters.
const maxMessage = 300

func (p *project) explain(status int, answer []byte) error {
	const op = "use the locks in GitLab"
	cause := fmt.Errorf("%s answers %d: %s", p.at.Server, status, text.Sanitize(string(answer), text.WithLimit(maxMessage)))
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fault.New(fault.Denied, op, cause).WithHint("locks need a token with the scope api, of somebody with the role Maintainer in %s", p.at.Project)
	case status == http.StatusNotFound:
		return fault.New(fault.NotFound, op, cause).WithHint("check that the project %s exists at %s, and that the token may see it", p.at.Project, p.at.Server)
	case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return fault.New(fault.Transient, op, cause)
	}
	return fault.New(fault.Invalid, op, cause)
}
