package githost

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// answer is what an endpoint says.
type answer struct {
	code int
	body any
}

func ok(body any) answer { return answer{http.StatusOK, body} }

func message(code int, text string) answer {
	return answer{code, map[string]string{"message": strconv.Itoa(code) + " " + text}}
}

// call is an authorized request to the API.
type call struct {
	*http.Request
	host    *Host
	token   token
	project repository
}

// api serves what clients need of GitLab's API v4.
func (h *Host) api() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", http.HandlerFunc(signIn))
	mux.Handle("/api/v4/", h.endpoint(func(call) answer { return answer{http.StatusNotFound, map[string]string{"error": "404 Not Found"}} }))
	mux.Handle("GET /api/v4/version", h.endpoint(version))
	mux.Handle("GET /api/v4/user", h.endpoint(user))
	mux.Handle("GET /api/v4/personal_access_tokens/self", h.endpoint(self))
	for pattern, serve := range map[string]func(call) answer{
		"": project, "/repository/branches": branches, "/repository/branches/{branch}": branch, "/repository/files/{file}": file,
		"/repository/files/{file}/raw": rawFile, "/repository/commits": commits, "/repository/commits/{ref}": oneCommit,
		"/pipelines": pipelines, "/pipelines/{pipeline}": onePipeline, "/pipelines/latest": latest, "/pipelines/{pipeline}/jobs": jobs,
		"/pipelines/{pipeline}/bridges": bridges,
		"/jobs/{job}":                   oneJob, "/jobs/{job}/trace": trace,
	} {
		mux.Handle("GET /api/v4/projects/{project}"+pattern, h.ofProject(serve))
	}
	mux.Handle("POST /api/v4/projects/{project}/pipelines/{pipeline}/retry", h.ofProject(retry))
	return mux
}

func (h *Host) ofProject(serve func(call) answer) http.Handler {
	return h.endpoint(func(c call) answer {
		var found bool
		if c.project, found = h.find(c.PathValue("project")); !found {
			return message(http.StatusNotFound, "Project Not Found")
		}
		return serve(c)
	})
}

// signIn is what people see.
func signIn(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/users/sign_in" {
		http.Redirect(w, r, "/users/sign_in", http.StatusFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte("<!DOCTYPE html><title>Sign in · GitLab</title>\n")) // whoever asked has gone
}

// endpoint lets only tokens in that may read the API.
func (h *Host) endpoint(serve func(call) answer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		held, given, valid := h.bearer(r)
		var said answer
		switch {
		case !given || !valid:
			said = message(http.StatusUnauthorized, "Unauthorized")
		case !held.may("api") && (r.Method != http.MethodGet || !held.may("read_api")) && !strings.HasSuffix(r.URL.Path, "/personal_access_tokens/self"):
			said = answer{http.StatusForbidden, map[string]string{"error": "insufficient_scope", "scope": "api read_api",
				"error_description": "The request requires higher privileges than provided by the access token."}}
		default:
			said = serve(call{Request: r, host: h, token: held})
		}
		said.write(w, r)
	})
}

func (a answer) write(w http.ResponseWriter, r *http.Request) {
	if text, plain := a.body.([]byte); plain {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(a.code)
		_, _ = w.Write(text) // whoever asked has gone
		return
	}
	if list, many := a.body.([]map[string]any); many {
		a.body = page(w, r, list)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.code)
	_ = json.NewEncoder(w).Encode(a.body) // whoever asked has gone
}

// page cuts a list and says where the rest is.
func page(w http.ResponseWriter, r *http.Request, list []map[string]any) []map[string]any {
	query := r.URL.Query()
	size, number := positive(query.Get("per_page"), 20, 100), positive(query.Get("page"), 1, 1<<20)
	pages := max(1, (len(list)+size-1)/size)
	header := w.Header()
	header.Set("X-Page", strconv.Itoa(number))
	header.Set("X-Per-Page", strconv.Itoa(size))
	header.Set("X-Total", strconv.Itoa(len(list)))
	header.Set("X-Total-Pages", strconv.Itoa(pages))
	header.Set("X-Next-Page", "")
	if number < pages {
		header.Set("X-Next-Page", strconv.Itoa(number+1))
		query.Set("page", strconv.Itoa(number+1))
		header.Set("Link", "<https://"+r.Host+r.URL.EscapedPath()+"?"+query.Encode()+`>; rel="next"`)
	}
	start := min(len(list), (number-1)*size)
	return slices.Clip(list[start:min(len(list), start+size)])
}

func positive(text string, standard, most int) int {
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 {
		return standard
	}
	return min(number, most)
}

// find finds a project by its number or its path.
func (h *Host) find(name string) (repository, bool) {
	if number, err := strconv.Atoi(name); err == nil {
		for _, found := range h.repositories.List() {
			if found.ID == number {
				return found, true
			}
		}
	}
	return h.repository(name)
}
