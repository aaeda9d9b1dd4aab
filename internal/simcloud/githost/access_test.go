package githost_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"exoshift/internal/simcloud/githost"
)

// ask sends a request to the web site.
func (l *lab) ask(t *testing.T, method, path string, header map[string]string) (int, http.Header, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, l.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range header {
		request.Header.Set(key, value)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(body)
}

func basic(user, password string) map[string]string {
	request, _ := http.NewRequest(http.MethodGet, "/", nil)
	request.SetBasicAuth(user, password)
	return map[string]string{"Authorization": request.Header.Get("Authorization")}
}

func private(token string) map[string]string { return map[string]string{"PRIVATE-TOKEN": token} }

func TestGitHost_TokenScopes(t *testing.T) {
	l := open(t, githost.Config{})
	l.create(t, getProject)
	l.commit(t, getProject, map[string]string{"a": "1"})
	all, reads, api := l.CreateToken(), l.CreateToken("read_repository"), l.CreateToken("read_api")
	const fetch, push = "/info/refs?service=git-upload-pack", "/info/refs?service=git-receive-pack"
	for name, test := range map[string]struct {
		path   string
		header map[string]string
		code   int
		said   string
	}{
		"nobody":               {"/" + getProject + ".git" + fetch, nil, 401, "HTTP Basic: Access denied"},
		"a wrong token":        {"/" + getProject + ".git" + fetch, basic("oauth2", "glpat-wrong"), 401, "HTTP Basic: Access denied"},
		"any user":             {"/" + getProject + ".git" + fetch, basic("anybody", all), 200, "# service=git-upload-pack"},
		"without .git":         {"/" + getProject + fetch, basic("oauth2", reads), 200, "refs/heads/master"},
		"a reader that pushes": {"/" + getProject + ".git" + push, basic("oauth2", reads), 403, "You are not allowed to push code to this project."},
		"a token for the API":  {"/" + getProject + ".git" + fetch, basic("oauth2", api), 403, "not allowed to download code"},
		"no such project":      {"/syn/none.git" + fetch, basic("oauth2", all), 404, "could not be found or you don't have permission"},
		"an old client":        {"/" + getProject + ".git/info/refs", basic("oauth2", all), 403, "Please upgrade your git client."},
	} {
		t.Run(name, func(t *testing.T) {
			code, header, text := l.ask(t, http.MethodGet, test.path, test.header)
			if code != test.code || !strings.Contains(text, test.said) {
				t.Errorf("%d: %s", code, text)
			}
			if code == http.StatusUnauthorized && header.Get("WWW-Authenticate") != `Basic realm="GitLab"` {
				t.Errorf("it asks for %q", header.Get("WWW-Authenticate"))
			}
		})
	}
}

func TestGitHost_GitLabAPI(t *testing.T) {
	l := open(t, githost.Config{})
	l.create(t, getProject)
	first := l.commit(t, getProject, map[string]string{"a/b.yml": "x: 1\n"})
	all, reads := l.CreateToken(), l.CreateToken("read_repository")
	for name, test := range map[string]struct {
		path   string
		header map[string]string
		code   int
		said   string
	}{
		"nobody":             {"user", nil, 401, `{"message":"401 Unauthorized"}`},
		"a wrong token":      {"user", private("wrong"), 401, `{"message":"401 Unauthorized"}`},
		"a token for Git":    {"user", private(reads), 403, `"error":"insufficient_scope"`},
		"its own scopes":     {"personal_access_tokens/self", private(reads), 200, `"scopes":["read_repository"]`},
		"the user by bearer": {"user", map[string]string{"Authorization": "Bearer " + all}, 200, `"username":"engineer"`},
		"the version":        {"version", private(all), 200, `"version":"17.`},
		"a project":          {projectURL, private(all), 200, `"default_branch":"master"`},
		"no such project":    {"projects/syn%2Fnone", private(all), 404, `{"message":"404 Project Not Found"}`},
		"a branch":           {projectURL + "/repository/branches/master", private(all), 200, first},
		"no such branch":     {projectURL + "/repository/branches/none", private(all), 404, `{"message":"404 Branch Not Found"}`},
		"a file":             {projectURL + "/repository/files/a%2Fb.yml?ref=master", private(all), 200, `"content":"eDogMQo="`},
		"a file as it is":    {projectURL + "/repository/files/a%2Fb.yml/raw", private(all), 200, "x: 1\n"},
		"no such file":       {projectURL + "/repository/files/c.yml?ref=master", private(all), 404, `{"message":"404 File Not Found"}`},
		"a file of a commit": {projectURL + "/repository/files/a%2Fb.yml?ref=" + first, private(all), 200, `"file_name":"b.yml"`},
		"no such ref":        {projectURL + "/repository/files/a%2Fb.yml?ref=none", private(all), 404, `{"message":"404 Commit Not Found"}`},
		"a commit":           {projectURL + "/repository/commits/" + first, private(all), 200, `"title":"Change"`},
		"no such pipeline":   {projectURL + "/pipelines/1", private(all), 404, `{"message":"404 Not found"}`},
		"no such job":        {projectURL + "/jobs/1/trace", private(all), 404, `{"message":"404 Not found"}`},
		"no such endpoint":   {"nothing", private(all), 404, `{"error":"404 Not Found"}`},
	} {
		t.Run(name, func(t *testing.T) {
			if code, _, text := l.ask(t, http.MethodGet, "/api/v4/"+test.path, test.header); code != test.code || !strings.Contains(text, test.said) {
				t.Errorf("%d: %s", code, text)
			}
		})
	}
}

func TestGitHost_Pagination(t *testing.T) {
	l := open(t, githost.Config{})
	l.create(t, getProject)
	for _, text := range []string{"1", "2", "3"} {
		l.commit(t, getProject, map[string]string{"a": text})
	}
	_, header, text := l.ask(t, http.MethodGet, "/api/v4/"+projectURL+"/repository/commits?per_page=2&page=2", private(l.CreateToken()))
	var list []map[string]any
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	for name, want := range map[string]string{"X-Total": "3", "X-Total-Pages": "2", "X-Page": "2", "X-Next-Page": "", "Link": ""} {
		if got := header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	_, header, _ = l.ask(t, http.MethodGet, "/api/v4/"+projectURL+"/repository/commits?per_page=2", private(l.CreateToken()))
	if !strings.Contains(header.Get("Link"), "page=2") || header.Get("X-Next-Page") != "2" {
		t.Errorf("the next page is at %q", header.Get("Link"))
	}
}

func TestGitHost_ArchivedIsReadOnly(t *testing.T) {
	dir, l := needGit(t), open(t, githost.Config{})
	l.create(t, getProject)
	l.commit(t, getProject, map[string]string{"a": "1"})
	if err := l.Archive(getProject); err != nil {
		t.Fatal(err)
	}
	if err := l.Create(getProject); err != nil {
		t.Fatal(err)
	}
	dir.git(t, "clone", l.url+"/"+getProject, "work")
	work := dir + "/work"
	work.git(t, "commit", "--allow-empty", "-m", "Mine")
	if out, err := work.try(t, "push"); err == nil || !strings.Contains(out, "archived project") {
		t.Errorf("push: %v, %s", err, out)
	}
	if _, err := l.Commit(getProject, "Change", map[string][]byte{"a": []byte("2")}); err == nil {
		t.Error("the host itself commits to it")
	}
}
