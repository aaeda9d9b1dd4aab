package githost

import (
	"net/http"
	"path"
	"strings"
	"time"
)

// maintainer is GitLab's access level that may push to protected branches.
const maintainer = 40

func getVersion(call) apiResponse {
	return newResponse(map[string]any{"version": "17.11.3-ee", "revision": "2a3e1b5c7d4", "enterprise": true})
}

func getUser(c call) apiResponse {
	return newResponse(map[string]any{"id": 7, "username": engineer, "name": "Engineer", "state": "active", "bot": false,
		"web_url": "https://" + c.host.config.Host + "/" + engineer})
}

func getTokenSelf(c call) apiResponse {
	return newResponse(map[string]any{"id": c.token.ID, "name": "installation", "revoked": false, "active": true, "user_id": 7,
		"scopes": c.token.Scopes, "created_at": c.token.Created.UTC().Format(time.RFC3339Nano),
		"expires_at": c.token.Created.Add(tokenLife).UTC().Format(time.DateOnly)})
}

func getProject(c call) apiResponse {
	p, base := c.project, "https://"+c.host.config.Host+"/"+c.project.Path
	group, name := path.Split(p.Path)
	_, pushed := p.findTip()
	body := map[string]any{
		"id": p.ID, "name": name, "path": name, "path_with_namespace": p.Path, "web_url": base, "http_url_to_repo": base + ".git",
		"ssh_url_to_repo": "git@" + c.host.config.Host + ":" + p.Path + ".git", "archived": p.Archived, "visibility": "private",
		"empty_repo": !pushed, "default_branch": nil, "builds_access_level": "enabled", "jobs_enabled": true,
		"created_at": p.Created.UTC().Format(time.RFC3339Nano), "last_activity_at": p.Active.UTC().Format(time.RFC3339Nano),
		"namespace":   map[string]any{"full_path": strings.TrimSuffix(group, "/"), "kind": "group"},
		"permissions": map[string]any{"project_access": nil, "group_access": map[string]int{"access_level": maintainer, "notification_level": 3}},
	}
	if pushed {
		body["default_branch"] = defaultBranch
	}
	return newResponse(body)
}

func listBranches(c call) apiResponse {
	list := []map[string]any{}
	for _, name := range sortKeys(c.project.Refs) {
		if short, is := strings.CutPrefix(name, "refs/heads/"); is {
			list = append(list, c.renderBranch(short))
		}
	}
	return newResponse(list)
}

func getBranch(c call) apiResponse {
	name := c.PathValue("branch")
	if _, found := c.project.Refs["refs/heads/"+name]; !found {
		return newMessageResponse(http.StatusNotFound, "Branch Not Found")
	}
	return newResponse(c.renderBranch(name))
}
