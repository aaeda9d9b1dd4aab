package vault

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

func (k *Secrets) serveMetadata(r request, path, operation string) (reply, error) {
	switch operation {
	case "list":
		return k.list(path)
	case "read":
		s, ok := k.table.Get(path)
		if !ok {
			return reply{}, errNotFound
		}
		return newDataReply("kv", s.describe()), nil
	case "create", "update", "patch":
		return reply{}, k.replaceMetadata(r, path, operation == "patch")
	case "delete":
		return reply{}, k.table.Delete(path)
	}
	return reply{}, errMethod
}

func (k *Secrets) list(folder string) (reply, error) {
	keys := k.listKeys(folder)
	if len(keys) == 0 {
		return reply{}, errNotFound
	}
	return newDataReply("kv", map[string]any{"keys": keys}), nil
}

// metadataRequest is the body of a write of metadata: absent fields are unchanged.
type metadataRequest struct {
	MaxVersions *int              `json:"max_versions"`
	CASRequired *bool             `json:"cas_required"`
	DeleteAfter *string           `json:"delete_version_after"`
	Custom      map[string]string `json:"custom_metadata"`
}

func (d metadataRequest) apply(s secret) (secret, error) {
	if d.MaxVersions != nil {
		s.MaxVersions = *d.MaxVersions
	}
	if d.CASRequired != nil {
		s.CASRequired = *d.CASRequired
	}
	if d.Custom != nil {
		s.Custom = d.Custom
	}
	if d.DeleteAfter == nil {
		return s, nil
	}
	var err error
	if s.DeleteAfter, err = time.ParseDuration(*d.DeleteAfter); err != nil {
		return s, newAPIError(http.StatusBadRequest, "Field validation failed: error converting input for field \"delete_version_after\"")
	}
	return s, nil
}

func (k *Secrets) replaceMetadata(r request, path string, patch bool) error {
	if patch && !r.mergePatch() {
		return newAPIError(http.StatusUnsupportedMediaType, "PATCH requires Content-Type \"application/merge-patch+json\"")
	}
	var body metadataRequest
	if err := r.decode(&body); err != nil {
		return err
	}
	s, ok := k.table.Get(path)
	if !ok && patch {
		return errNotFound
	}
	if !ok {
		s = secret{Path: path, Created: k.now()}
	}
	s, err := body.apply(s)
	if err != nil {
		return err
	}
	s.Updated = k.now()
	return k.table.Put(path, s)
}

func (k *Secrets) serveVersions(r request, part, path string) (reply, error) {
	if r.Method != http.MethodPost && r.Method != http.MethodPut {
		return reply{}, errMethod
	}
	var body struct {
		Versions []versionNumber `json:"versions"`
	}
	if err := r.decode(&body); err != nil {
		return reply{}, err
	}
	if len(body.Versions) == 0 {
		return reply{}, newAPIError(http.StatusBadRequest, "No version number provided")
	}
	numbers := make([]int, len(body.Versions))
	for i, n := range body.Versions {
		numbers[i] = int(n)
	}
	return reply{}, k.updateSecret(path, func(s secret) secret { return s.applyAction(part, numbers, k.now()) })
}

func (s secret) applyAction(part string, numbers []int, now time.Time) secret {
	switch part {
	case "undelete":
		return s.withVersions(numbers, now, func(e *version) { e.Deleted = time.Time{} })
	case "destroy":
		return s.withVersions(numbers, now, func(e *version) { e.Destroyed, e.Data = true, nil })
	}
	return s.withDeleted(numbers, now)
}

// versionNumber is a number or a string of one.
type versionNumber int

// UnmarshalJSON accepts 1 and "1".
func (n *versionNumber) UnmarshalJSON(text []byte) error {
	var number json.Number
	if err := json.Unmarshal(text, &number); err != nil {
		return err
	}
	parsed, err := strconv.Atoi(number.String())
	*n = versionNumber(parsed)
	return err
}
