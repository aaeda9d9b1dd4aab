package server

import (
	"encoding/json"
	"net/http"
)

// WriteJSON writes a response of JSON and a newline. Its content type is application/json, unless the header has another one.
func WriteJSON(w http.ResponseWriter, status int, value any) {
	content, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	_, _ = w.Write(append(content, '\n')) // the client closed the connection
}
