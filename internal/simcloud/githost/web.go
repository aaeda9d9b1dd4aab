package githost

import "net/http"

// Web is the host by HTTPS: repositories and the API.
func (h *Host) Web() http.Handler {
	mux := http.NewServeMux()
	return mux
}
