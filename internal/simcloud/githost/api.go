package githost

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"exoshift/internal/simcloud/server"
)

type apiResponse struct {
	code int
	body any
}

func newResponse(body any) apiResponse { return apiResponse{http.StatusOK, body} }

func newMessageResponse(code int, text string) apiResponse {
	return apiResponse{code, map[string]string{"message": strconv.Itoa(code) + " " + text}}
}

type call struct {
	*http.Request
	host    *Host
	token   token
	project repository
}

func (h *Host) newAPIHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", http.HandlerFunc(signIn))
	mux.Handle("/api/v4/", h.newEndpoint(func(call) apiResponse {
		return apiResponse{http.StatusNotFound, map[string]string{"error": "404 Not Found"}}
	}))
	mux.Handle("GET /api/v4/version", h.newEndpoint(getVersion))
	mux.Handle("GET /api/v4/user", h.newEndpoint(getUser))
	mux.Handle("GET /api/v4/personal_access_tokens/self", h.newEndpoint(getTokenSelf))
	for pattern, serve := range map[string]func(call) apiResponse{
		"": getProject, "/repository/branches": listBranches, "/repository/branches/{branch}": getBranch, "/repository/files/{file}": getFile,
		"/repository/files/{file}/raw": getRawFile, "/repository/commits": listCommits, "/repository/commits/{ref}": getCommit,
		"/pipelines": listPipelines, "/pipelines/{pipeline}": getPipeline, "/pipelines/latest": getLatestPipeline, "/pipelines/{pipeline}/jobs": listJobs,
		"/pipelines/{pipeline}/bridges": listBridges,
		"/jobs/{job}":                   getJob, "/jobs/{job}/trace": trace,
	} {
		mux.Handle("GET /api/v4/projects/{project}"+pattern, h.withProject(serve))
	}
	mux.Handle("POST /api/v4/projects/{project}/pipelines/{pipeline}/retry", h.withProject(retry))
	const state = " /api/v4/projects/{project}/terraform/state/{name}"
	for _, method := range []string{http.MethodPost, http.MethodDelete} {
		mux.Handle(method+state+"/lock", h.withProject(serveStateLock))
	}
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		mux.Handle(method+state, h.withProject(serveTerraformState))
	}
	return mux
}

func (h *Host) withProject(serve func(call) apiResponse) http.Handler {
	return h.newEndpoint(func(c call) apiResponse {
		var found bool
		if c.project, found = h.findProject(c.PathValue("project")); !found {
			return newMessageResponse(http.StatusNotFound, "Project Not Found")
		}
		return serve(c)
	})
}

func signIn(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/users/sign_in" {
		http.Redirect(w, r, "/users/sign_in", http.StatusFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte("<!DOCTYPE html><title>Sign in · GitLab</title>\n")) // the client closed the connection
}

// newEndpoint requires a token that may read the API.
func (h *Host) newEndpoint(serve func(call) apiResponse) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		held, given, valid := h.findToken(r)
		var response apiResponse
		switch {
		case !given || !valid:
			response = newMessageResponse(http.StatusUnauthorized, "Unauthorized")
		case !held.hasScope("api") && (r.Method != http.MethodGet || !held.hasScope("read_api")) && !strings.HasSuffix(r.URL.Path, "/personal_access_tokens/self"):
			response = apiResponse{http.StatusForbidden, map[string]string{"error": "insufficient_scope", "scope": "api read_api",
				"error_description": "The request requires higher privileges than provided by the access token."}}
		default:
			response = serve(call{Request: r, host: h, token: held})
		}
		response.write(w, r)
	})
}

func (a apiResponse) write(w http.ResponseWriter, r *http.Request) {
	if text, plain := a.body.([]byte); plain {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(a.code)
		_, _ = w.Write(text) // the client closed the connection
		return
	}
	if list, many := a.body.([]map[string]any); many {
		a.body = paginate(w, r, list)
	}
	server.WriteJSON(w, a.code, a.body)
}

// paginate sets GitLab's headers of pagination.
func paginate(w http.ResponseWriter, r *http.Request, list []map[string]any) []map[string]any {
	query := r.URL.Query()
	size, number := parsePositive(query.Get("per_page"), 20, 100), parsePositive(query.Get("page"), 1, 1<<20)
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

func parsePositive(text string, standard, most int) int {
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 {
		return standard
	}
	return min(number, most)
}
