package services

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// page answers every path with a page in HTML.
func page(title string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, http.StatusOK, "text/html; charset=utf-8", "<!doctype html>\n<html><head><title>"+title+"</title></head><body><h1>"+title+"</h1></body></html>\n")
	})
}

// says answers every path with the same JSON.
func says(status int, value any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { tell(w, r, status, value) })
}

// tell answers with JSON.
func tell(w http.ResponseWriter, r *http.Request, status int, value any) {
	content, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, r, status, "application/json", string(content)+"\n")
}

func answer(w http.ResponseWriter, r *http.Request, status int, kind, body string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, body) // the client went away
	}
}

// leads sends whoever asks for the front page to another path.
func leads(to string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// locked asks for a token, and takes none.
func locked(value any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="`+strings.ToLower(r.Host)+`"`)
		tell(w, r, http.StatusUnauthorized, value)
	})
}

// cutPrefix returns what follows a prefix; "" if it is not there.
func cutPrefix(text, prefix string) string {
	rest, found := strings.CutPrefix(text, prefix)
	if !found {
		return ""
	}
	return rest
}
