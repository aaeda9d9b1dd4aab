package simcloud

import "net/http"

func (z *Zone) wrapHandler(handler http.Handler) http.Handler {
	if z.options.Middleware == nil {
		return handler
	}
	return z.options.Middleware(handler)
}
