package simcloud

import "net/http"

// wrapHandler puts the options' middleware before a handler that clients of the cloud talk to.
func (z *Zone) wrapHandler(handler http.Handler) http.Handler {
	if z.options.Middleware == nil {
		return handler
	}
	return z.options.Middleware(handler)
}
