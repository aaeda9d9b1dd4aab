package githost

import "net/http"

func (h *Host) api() http.Handler { return http.NewServeMux() }
