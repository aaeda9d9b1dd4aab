package services

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
)

func newPage(title string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		writeBody(w, r, http.StatusOK, "text/html; charset=utf-8", "<!doctype html>\n<html><head><title>"+title+"</title></head><body><h1>"+title+"</h1></body></html>\n")
	})
}

// withHeader adds fields to the responses of a handler.
func withHeader(header http.Header, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), header)
		next.ServeHTTP(w, r)
	})
}

func newJSONHandler(status int, value any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { writeJSON(w, r, status, value) })
}

func writeJSON(w http.ResponseWriter, r *http.Request, status int, value any) {
	content, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	writeBody(w, r, status, "application/json", string(content)+"\n")
}

func writeBody(w http.ResponseWriter, r *http.Request, status int, kind, body string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, body) // the client closed the connection
	}
}

// redirectRoot redirects the front page to another path.
func redirectRoot(to string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// requireToken refuses every token.
func requireToken(value any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="`+strings.ToLower(r.Host)+`"`)
		writeJSON(w, r, http.StatusUnauthorized, value)
	})
}

func trimPrefix(text, prefix string) string {
	rest, found := strings.CutPrefix(text, prefix)
	if !found {
		return ""
	}
	return rest
}
