package signin

import "net/http"

// Handler is how a callback answers.
func Handler(c Callback) http.Handler { return c.newHandler(make(chan callbackResult, 2)) }
