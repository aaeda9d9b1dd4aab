package githost

import "net/http"

// NewWebHandler serves the host by HTTPS: repositories and the API.
func (h *Host) NewWebHandler() http.Handler {
	api := h.newAPIHandler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.pipelines.runDue(r.Context())
		if name, service, advertise, ok := parseGitRequest(r); ok {
			h.git.serveGit(w, r, name, service, advertise)
			return
		}
		api.ServeHTTP(w, r)
	})
}
