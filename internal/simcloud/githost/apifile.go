package githost

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	gitobject "github.com/go-git/go-git/v5/plumbing/object"
)

const historyLimit = 1000

func (c call) readContent() (data []byte, revision string, refused *apiResponse) {
	missing := func(what string) *apiResponse {
		a := newMessageResponse(http.StatusNotFound, what+" Not Found")
		return &a
	}
	ref := c.URL.Query().Get("ref")
	if ref == "" {
		return nil, "", &apiResponse{http.StatusBadRequest, map[string]string{"error": "ref is missing, ref is empty"}}
	}
	hash, found := c.project.resolve(ref)
	if !found {
		return nil, "", missing("Commit")
	}
	files, err := c.host.openStorage(c.project).readFiles(hash)
	if err != nil {
		return nil, "", missing("Commit")
	}
	data, found = files[c.PathValue("file")]
	if !found {
		return nil, "", missing("File")
	}
	return data, hash.String(), nil
}

func getFile(c call) apiResponse {
	data, revision, refused := c.readContent()
	if refused != nil {
		return *refused
	}
	sum := sha256.Sum256(data)
	name := c.PathValue("file")
	return newResponse(map[string]any{"file_name": path.Base(name), "file_path": name, "size": len(data), "encoding": "base64",
		"content": base64.StdEncoding.EncodeToString(data), "content_sha256": hex.EncodeToString(sum[:]), "ref": c.URL.Query().Get("ref"),
		"blob_id": plumbing.ComputeHash(plumbing.BlobObject, data).String(), "commit_id": revision, "last_commit_id": revision})
}

func getRawFile(c call) apiResponse {
	if c.URL.Query().Get("ref") == "" {
		c.URL.RawQuery = "ref=HEAD"
	}
	data, _, refused := c.readContent()
	if refused != nil {
		return *refused
	}
	return newResponse(data)
}

// listCommits lists a branch along first parents.
func listCommits(c call) apiResponse {
	hash, found := c.project.resolve(c.URL.Query().Get("ref_name"))
	list := []map[string]any{}
	for found && len(list) < historyLimit {
		commit, err := gitobject.GetCommit(c.host.openStorage(c.project), hash)
		if err != nil {
			break
		}
		list = append(list, renderCommitBody(commit))
		if found = len(commit.ParentHashes) > 0; found {
			hash = commit.ParentHashes[0]
		}
	}
	return newResponse(list)
}

func getCommit(c call) apiResponse {
	if hash, found := c.project.resolve(c.PathValue("ref")); found {
		if body, found := c.renderCommit(hash.String()); found {
			return newResponse(body)
		}
	}
	return newMessageResponse(http.StatusNotFound, "Commit Not Found")
}

func (c call) renderCommit(hash string) (map[string]any, bool) {
	commit, err := gitobject.GetCommit(c.host.openStorage(c.project), plumbing.NewHash(hash))
	if err != nil {
		return nil, false
	}
	return renderCommitBody(commit), true
}

func (c call) renderBranch(name string) map[string]any {
	tip := name == defaultBranch
	commit, _ := c.renderCommit(c.project.Refs["refs/heads/"+name])
	return map[string]any{"name": name, "default": tip, "protected": tip, "merged": false, "can_push": true,
		"developers_can_push": !tip, "developers_can_merge": !tip, "commit": commit}
}

func renderCommitBody(commit *gitobject.Commit) map[string]any {
	hash, parents := commit.Hash.String(), []string{}
	for _, parent := range commit.ParentHashes {
		parents = append(parents, parent.String())
	}
	title, _, _ := strings.Cut(commit.Message, "\n")
	at := commit.Committer.When.Format(time.RFC3339Nano)
	return map[string]any{"id": hash, "short_id": hash[:8], "title": title, "message": commit.Message, "parent_ids": parents,
		"author_name": commit.Author.Name, "author_email": commit.Author.Email, "authored_date": commit.Author.When.Format(time.RFC3339Nano),
		"committer_name": commit.Committer.Name, "committed_date": at, "created_at": at}
}
