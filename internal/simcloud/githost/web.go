package githost

import "net/http"

// NewWebHandler serves the host by HTTPS: repositories and the API.
func (h *Host) NewWebHandler() http.Handler {
	api := h.newAPIHandler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.runDuePipelines(r.Context())
		if name, service, advertise, ok := parseGitRequest(r); ok {
			h.serveGit(w, r, name, service, advertise)
			return
		}
		api.ServeHTTP(w, r)
	})
}
