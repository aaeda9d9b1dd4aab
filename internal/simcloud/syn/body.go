package syn

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
)

const (
	plainType = "application/json"
	patchType = "application/merge-patch+json"
)

// gitRepo is a repository in a body. Nil fields are absent.
type gitRepo struct {
	URL       *string `json:"url,omitempty"`
	Type      *string `json:"type,omitempty"`
	DeployKey *string `json:"deployKey,omitempty"`
	HostKeys  *string `json:"hostKeys,omitempty"`
}

// clusterBody has the mutable fields of a cluster. Nil fields are unchanged, also if the body has null.
type clusterBody struct {
	Annotations    map[string]any `json:"annotations,omitempty"`
	DisplayName    *string        `json:"displayName,omitempty"`
	Facts          map[string]any `json:"facts,omitempty"`
	DynamicFacts   map[string]any `json:"dynamicFacts,omitempty"`
	CompileMeta    map[string]any `json:"compileMeta,omitempty"`
	GitRepo        *gitRepo       `json:"gitRepo,omitempty"`
	TenantRevision *string        `json:"tenantGitRepoRevision,omitempty"`
	GlobalRevision *string        `json:"globalGitRepoRevision,omitempty"`
	InstallURL     *string        `json:"installURL,omitempty"`
}

type newCluster struct {
	ID     *string `json:"id,omitempty"`
	Tenant *string `json:"tenant,omitempty"`
	clusterBody
}

type revisionedRepo struct {
	gitRepo
	Revision *string `json:"revision,omitempty"`
}

type tenantBody struct {
	Annotations    map[string]any  `json:"annotations,omitempty"`
	DisplayName    *string         `json:"displayName,omitempty"`
	GitRepo        *revisionedRepo `json:"gitRepo,omitempty"`
	GlobalURL      *string         `json:"globalGitRepoURL,omitempty"`
	GlobalRevision *string         `json:"globalGitRepoRevision,omitempty"`
}

type newTenant struct {
	ID *string `json:"id,omitempty"`
	tenantBody
}

// read decodes a body of the media type; patches may contain mutable fields only.
func (c call) read(kind string, into any) error {
	if given, _, err := mime.ParseMediaType(c.kind); err != nil || given != kind {
		return newAPIError(http.StatusBadRequest, "request body has an error: header Content-Type has unexpected value '%s'", c.kind)
	}
	if len(bytes.TrimSpace(c.body)) == 0 {
		return newAPIError(http.StatusBadRequest, "request body has an error: value is required but missing")
	}
	decoder := json.NewDecoder(bytes.NewReader(c.body))
	if kind == patchType {
		decoder.DisallowUnknownFields()
	}
	if err := decoder.Decode(into); err != nil {
		return newAPIError(http.StatusBadRequest, "code=400, message=%v", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return newAPIError(http.StatusBadRequest, "request body has an error: failed to decode request body: more than one value")
	}
	return nil
}

// mergeText merges strings; other types are silently dropped.
func mergeText(target map[string]string, source map[string]any) {
	for key, value := range source {
		if text, ok := value.(string); ok {
			target[key] = text
		}
	}
}

func set(target, source *string) {
	if source != nil {
		*target = *source
	}
}

// optionalText returns nil for an empty text.
func optionalText(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}
