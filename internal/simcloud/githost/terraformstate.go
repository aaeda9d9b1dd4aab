package githost

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"exoshift/internal/simcloud/store"
)

// terraformState is a Terraform state of a project, and its lock.
type terraformState struct {
	LockID  string // "": it is not locked
	Locked  time.Time
	Content []byte // nil: none was stored
}

const (
	maxLockID = 255     // in characters
	maxState  = 1 << 20 // in bytes
)

// lockRequest is Terraform's description of a lock; every field is required.
type lockRequest struct {
	ID, Operation, Info, Who, Version, Created, Path *string
}

func openTerraformStates(db *store.DB) (*store.Table[terraformState], error) {
	return store.Load[terraformState](db, "githost/terraform-states")
}

// serveTerraformState reads, replaces or deletes a state, which only the holder of its lock changes. The status of a change by somebody
// else is a reading: GitLab's handler raises an error there.
func serveTerraformState(c call) apiResponse {
	key := c.project.Path + "/" + c.PathValue("name")
	content, err := io.ReadAll(io.LimitReader(c.Body, maxState))
	if err != nil {
		return newMessageResponse(http.StatusBadRequest, "Bad request")
	}
	c.host.stateMutex.Lock()
	defer c.host.stateMutex.Unlock()
	found, exists := c.host.states.Get(key)
	switch {
	case c.Method == http.MethodGet && !exists:
		return newMessageResponse(http.StatusNotFound, "Not Found")
	case c.Method == http.MethodGet && found.Content == nil, c.Method == http.MethodPost && len(content) == 0:
		return apiResponse{http.StatusNoContent, []byte(nil)}
	case c.Method == http.MethodGet:
		return newResponse(found.Content)
	case found.LockID != c.URL.Query().Get("ID"):
		return newMessageResponse(http.StatusConflict, "Conflict")
	case c.Method == http.MethodDelete:
		err = c.host.states.Delete(key)
	default:
		found.Content = content
		err = c.host.states.Put(key, found)
	}
	return newStored(err)
}

func newStored(err error) apiResponse {
	if err != nil {
		return newMessageResponse(http.StatusInternalServerError, "Internal Server Error")
	}
	return newResponse([]byte(nil))
}

// serveStateLock takes or deletes the lock of a Terraform state. A lock has no lifetime. What is answered are the caller's own fields,
// but for the holder's ID, name and time.
func serveStateLock(c call) apiResponse {
	key := c.project.Path + "/" + c.PathValue("name")
	content, err := io.ReadAll(io.LimitReader(c.Body, 1<<16))
	if err != nil {
		return newMessageResponse(http.StatusBadRequest, "Bad request")
	}
	c.host.stateMutex.Lock()
	defer c.host.stateMutex.Unlock()
	found, _ := c.host.states.Get(key)
	if c.Method == http.MethodDelete {
		return deleteStateLock(c, key, content, found)
	}
	var wanted lockRequest
	if json.Unmarshal(content, &wanted) != nil || !wanted.isComplete() {
		return apiResponse{http.StatusBadRequest, map[string]string{"error": "a field of the lock is missing or invalid"}}
	}
	status := http.StatusConflict
	if found.LockID == "" {
		found.LockID, found.Locked, status = *wanted.ID, c.host.config.Clock.Now(), http.StatusOK
		if err := c.host.states.Put(key, found); err != nil {
			return newStored(err)
		}
	}
	return apiResponse{status, map[string]string{
		"ID": found.LockID, "Who": engineer, "Created": formatTime(found.Locked),
		"Operation": *wanted.Operation, "Info": *wanted.Info, "Version": *wanted.Version, "Path": *wanted.Path,
	}}
}

// deleteStateLock: without an ID any lock is deleted.
func deleteStateLock(c call, key string, content []byte, found terraformState) apiResponse {
	id := c.URL.Query().Get("ID")
	if id == "" {
		var given struct{ ID string }
		_ = json.Unmarshal(content, &given) // no JSON has no ID
		id = given.ID
	}
	if id != "" && found.LockID != id {
		return newMessageResponse(http.StatusConflict, "Conflict")
	}
	found.LockID, found.Locked = "", time.Time{}
	return newStored(c.host.states.Put(key, found))
}

func (l lockRequest) isComplete() bool {
	for _, field := range []*string{l.ID, l.Operation, l.Info, l.Who, l.Version, l.Created, l.Path} {
		if field == nil {
			return false
		}
	}
	return strings.TrimSpace(*l.ID) != "" && len([]rune(*l.ID)) <= maxLockID
}
