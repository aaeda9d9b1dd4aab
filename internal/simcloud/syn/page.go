package syn

import (
	"fmt"
	"html"
	"net/http"
	"strings"
)

// pageData is the content of a sign-on page.
type pageData struct {
	Title, Text string
	Action      string // of the form; "": there is none
	Code        bool   // the form has a field for the user code
	UserCode    string
	Password    bool // the form has fields for name and password
}

func show(w http.ResponseWriter, status int, data pageData) {
	var page strings.Builder
	title := html.EscapeString(data.Title)
	_, _ = fmt.Fprintf(&page, "<!doctype html>\n<html><head><title>%s</title></head><body><h1>%s</h1>\n", title, title)
	if data.Text != "" {
		_, _ = fmt.Fprintf(&page, "<p>%s</p>\n", html.EscapeString(data.Text))
	}
	if data.Action != "" {
		_, _ = fmt.Fprintf(&page, "<form action=\"%s\" method=\"post\">\n", html.EscapeString(data.Action))
		if data.Code {
			_, _ = fmt.Fprintf(&page, `<input type="text" name="device_user_code" value="%s">`, html.EscapeString(data.UserCode))
		}
		if data.Password {
			page.WriteString(`<input type="text" name="username"><input type="password" name="password">`)
		}
		page.WriteString("\n<input type=\"submit\" value=\"Continue\"></form>")
	}
	page.WriteString("\n</body></html>\n")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(page.String())) // the client closed the connection
}
