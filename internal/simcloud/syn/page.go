package syn

import (
	"html/template"
	"net/http"
)

// pageData is the content of a sign-on page.
type pageData struct {
	Title, Text string
	Action      string // of the form; "": there is none
	Code        bool   // the form has a field for the user code
	UserCode    string
	Password    bool // the form has fields for name and password
}

const pageTemplate = `<!doctype html>
<html><head><title>{{.Title}}</title></head><body><h1>{{.Title}}</h1>
{{with .Text}}<p>{{.}}</p>{{end}}
{{if .Action}}<form action="{{.Action}}" method="post">
{{if .Code}}<input type="text" name="device_user_code" value="{{.UserCode}}">{{end}}
{{if .Password}}<input type="text" name="username"><input type="password" name="password">{{end}}
<input type="submit" value="Continue"></form>{{end}}
</body></html>
`

func show(w http.ResponseWriter, status int, data pageData) {
	page, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = page.Execute(w, data) // the client closed the connection
}
