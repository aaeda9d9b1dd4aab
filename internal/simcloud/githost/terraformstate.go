package githost

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"exoshift/internal/simcloud/store"
)

// stateLock is the lock of a Terraform state of a project.
type stateLock struct {
	ID      string
	Created time.Time
}

// maxLockID is in characters.
const maxLockID = 255

// lockRequest is Terraform's description of a lock; every field is required.
type lockRequest struct {
	ID, Operation, Info, Who, Version, Created, Path *string
}

func openStateLocks(db *store.DB) (*store.Table[stateLock], error) {
	return store.Load[stateLock](db, "githost/terraform-locks")
}

// serveStateLock takes or deletes the lock of a Terraform state. A lock has no lifetime. What is answered while another one holds it
// are the caller's own fields, but for the holder's ID, name and time.
func serveStateLock(c call) apiResponse {
	key := c.project.Path + "/" + c.PathValue("name")
	content, err := io.ReadAll(io.LimitReader(c.Body, 1<<16))
	if err != nil {
		return newMessageResponse(http.StatusBadRequest, "Bad request")
	}
	c.host.lockMutex.Lock()
	defer c.host.lockMutex.Unlock()
	held, locked := c.host.stateLocks.Get(key)
	if c.Method == http.MethodDelete {
		return deleteStateLock(c, key, content, held, locked)
	}
	var wanted lockRequest
	if json.Unmarshal(content, &wanted) != nil || !wanted.isComplete() {
		return apiResponse{http.StatusBadRequest, map[string]string{"error": "a field of the lock is missing or invalid"}}
	}
	if !locked {
		if err := c.host.stateLocks.Put(key, stateLock{ID: *wanted.ID, Created: c.host.config.Clock.Now()}); err != nil {
			return newMessageResponse(http.StatusInternalServerError, "Internal Server Error")
		}
		return newResponse(nil)
	}
	return apiResponse{http.StatusConflict, map[string]string{
		"ID": held.ID, "Who": engineer, "Created": formatTime(held.Created),
		"Operation": *wanted.Operation, "Info": *wanted.Info, "Version": *wanted.Version, "Path": *wanted.Path,
	}}
}

// deleteStateLock: without an ID any lock is deleted.
func deleteStateLock(c call, key string, content []byte, held stateLock, locked bool) apiResponse {
	id := c.URL.Query().Get("ID")
	if id == "" {
		var given struct{ ID string }
		_ = json.Unmarshal(content, &given) // no JSON has no ID
		id = given.ID
	}
	if id != "" && (!locked || held.ID != id) {
		return newMessageResponse(http.StatusConflict, "Conflict")
	}
	if err := c.host.stateLocks.Delete(key); err != nil {
		return newMessageResponse(http.StatusInternalServerError, "Internal Server Error")
	}
	return newResponse(nil)
}

func (l lockRequest) isComplete() bool {
	for _, field := range []*string{l.ID, l.Operation, l.Info, l.Who, l.Version, l.Created, l.Path} {
		if field == nil {
			return false
		}
	}
	return strings.TrimSpace(*l.ID) != "" && len([]rune(*l.ID)) <= maxLockID
}
