package signin

import "net/http"

// Handler exports newHandler for tests.
func Handler(c Callback) http.Handler { return c.newHandler(make(chan callbackResult, 2)) }
