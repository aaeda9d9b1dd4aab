package template

import (
	"errors"
	"strings"
	"testing"
	stdtemplate "text/template"
)

type load struct{ Masters int }

func testData() any {
	return struct {
		load
		Domain  string
		Empty   string
		Proxy   bool
		Buckets []string
		Facts   map[string]any
		Later   *load
	}{load{3}, "c-1.example.net", "", true, []string{"a", "b"}, map[string]any{"zone": "ch-gva-2", "count": 5, "none": nil, "deep": map[string]any{"x": "y"}}, nil}
}

func testFunctions() Functions {
	return Functions{
		"upper": strings.ToUpper,
		"list":  func(items ...string) []string { return items },
		"node":  func(string) *load { return &load{7} },
		"fails": func() (string, error) { return "", errors.New("it fails") },
	}
}

// What is rendered is compared with text/template itself.
func TestRender_MatchesTextTemplate(t *testing.T) {
	for _, text := range []string{
		"", "plain", "{{.Domain}} {{.Masters}} {{.Proxy}}", "{{/* nothing */}}a {{- .Domain -}} b",
		"{{range .Buckets}}<{{.}}|{{$.Domain}}>{{end}}", `{{range list "x" "y"}}{{.}}{{if eq . "x"}},{{end}}{{end}}`, "{{range list}}no{{else}}none{{end}}",
		"{{if .Proxy}}yes{{else}}no{{end}}{{if .Empty}}yes{{else if .Domain}}domain{{end}}{{if .Facts.none}}no{{end}}",
		"{{with .Facts.deep}}{{.x}}{{end}}{{with .Empty}}no{{else}}{{.Domain}}{{end}}{{with .Later}}no{{end}}", `{{with node "a"}}{{.Masters}}{{end}}`,
		`{{upper (print "api." .Domain)}}`, `{{print (or (index .Facts "missing") .Empty "stable") "-" .Facts.count "." 4}}`, "{{$.Facts.deep.x}}{{.Facts.count}}",
	} {
		parsed, err := stdtemplate.New("").Funcs(stdtemplate.FuncMap(testFunctions())).Option("missingkey=error").Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		if err := parsed.Execute(&want, testData()); err != nil {
			t.Fatal(err)
		}
		if got, err := Render(text, testData(), testFunctions()); err != nil || got != want.String() {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want.String())
		}
	}
}

func TestRender_Errors(t *testing.T) {
	for text, want := range map[string]string{
		"{{":                                  "unclosed action",
		"{{unknown}}":                         `function "unknown" not defined`,
		"{{.Missing}}":                        "can't evaluate field Missing",
		"{{.Facts.missing}}":                  `map has no entry for key "missing"`,
		"{{.Facts.none.x}}":                   "can't evaluate field x",
		"{{.Domain.x}}":                       "can't evaluate field x",
		"{{upper .Masters}}":                  "error calling upper: expected string, got int",
		"{{upper}}":                           "error calling upper: too few arguments",
		`{{upper "a" "b"}}`:                   "error calling upper: too many arguments",
		"{{fails}}":                           "error calling fails: it fails",
		"{{.Domain | upper}}":                 "variables and pipes are not supported",
		"{{range $i, $b := .Buckets}}{{end}}": "variables and pipes are not supported",
		"{{range .Domain}}{{end}}":            "range over string",
		"{{.Domain .Masters}}":                "is no function",
		`{{template "x"}}`:                    "is not supported",
		"{{if .Missing}}{{end}}":              "can't evaluate field Missing",
	} {
		if _, err := Render(text, testData(), testFunctions()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
