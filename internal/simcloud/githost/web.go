package githost

import "net/http"

// Web is the host by HTTPS: repositories and the API.
func (h *Host) Web() http.Handler {
	api := h.api()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.settle(r.Context())
		if name, service, advertise, ok := gitRequest(r); ok {
			h.git(w, r, name, service, advertise)
			return
		}
		api.ServeHTTP(w, r)
	})
}
