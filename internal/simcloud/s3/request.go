package s3

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

type request struct {
	*http.Request
	bucket, key string
	signed      *signature // nil: anonymous
}

func (r request) has(parameter string) bool { return r.URL.Query().Has(parameter) }

func (r request) query(parameter string) string { return r.URL.Query().Get(parameter) }

// newBucketTaken is for requests to a bucket of another organization.
func (r *request) newBucketTaken() error {
	if r.Method == http.MethodPut && r.key == "" && r.URL.RawQuery == "" {
		return errTaken
	}
	return errAccessDenied
}

// hasUnknownParameter reports whether a request has a parameter that this storage does not know. It may name a part of S3: what
// ignores "?restore" overwrites the object.
func (r request) hasUnknownParameter() bool {
	known := []string{"list-type", "prefix", "delimiter", "marker", "max-keys", "encoding-type", "continuation-token", "start-after", "fetch-owner",
		"versions", "key-marker", "version-id-marker", "uploads", "upload-id-marker", "max-uploads"}
	switch {
	case r.bucket == "":
		known = []string{"max-buckets", "prefix", "continuation-token", "bucket-region"}
	case r.key != "":
		known = []string{"versionId", "partNumber", "uploads", "uploadId", "max-parts", "part-number-marker", "encoding-type", "acl"}
	default:
		known = append(known, "acl", "cors", "delete", "location", "object-lock", "ownershipControls", "policy", "versioning")
	}
	for name := range r.URL.Query() {
		lower := strings.ToLower(name)
		// x-id is how Amazon's SDKs name the operation; the others belong to signed links.
		if !slices.Contains(known, name) && lower != "x-id" && !strings.HasPrefix(lower, "x-amz-") && !strings.HasPrefix(name, "response-") {
			return true
		}
	}
	return false
}

// getOperation returns a request's operation in IAM policies: the names of S3's operations in small letters. "list-buckets",
// "create-bucket", "delete-bucket", "head-object", "get-object" and "put-object" are in policies that people use; that the
// others are named alike, and that both versions of the listing are one, is our reading.
func (r *request) getOperation() string {
	switch {
	case r.bucket == "":
		return "list-buckets"
	case r.key == "":
		return r.getBucketOperation()
	case r.has("uploads"), r.has("uploadId"):
		return r.uploadOperation()
	case r.has("acl"):
		return r.getVerb() + "-object-acl"
	case r.Method == http.MethodPut && r.copySource() != "":
		return "copy-object"
	}
	return r.getVerb() + "-object"
}

func (r *request) getBucketOperation() string {
	for _, part := range []string{"acl", "cors", "location", "object-lock", "policy", "versioning"} {
		if r.has(part) {
			return r.getVerb() + "-bucket-" + part
		}
	}
	if r.has(ownershipControls) {
		return r.getVerb() + "-bucket-ownership-controls"
	}
	switch {
	case r.has("uploads"):
		return "list-multipart-uploads"
	case r.has("versions"):
		return "list-object-versions"
	case r.Method == http.MethodPost:
		return "delete-objects"
	case r.Method == http.MethodPut:
		return "create-bucket"
	case r.Method == http.MethodGet:
		return "list-objects"
	}
	return r.getVerb() + "-bucket"
}

func (r *request) uploadOperation() string {
	switch {
	case r.Method == http.MethodPost && r.has("uploads"):
		return "create-multipart-upload"
	case r.Method == http.MethodPost:
		return "complete-multipart-upload"
	case r.Method == http.MethodDelete:
		return "abort-multipart-upload"
	case r.Method == http.MethodPut:
		return "upload-part"
	}
	return "list-parts"
}

func (r *request) getVerb() string { return strings.ToLower(r.Method) }

func (r *request) parseMaxKeys() (int, error) {
	given := r.query("max-keys")
	if given == "" {
		return maxKeys, nil
	}
	most, err := strconv.Atoi(given)
	if err != nil || most < 0 {
		return 0, errArgument
	}
	return min(most, maxKeys), nil
}

// encodeKey applies the request's encoding-type.
func (r *request) encodeKey(text string) string {
	if r.query("encoding-type") == "url" {
		return escape(text, true)
	}
	return text
}

func (r *request) copySource() string { return r.Header.Get("X-Amz-Copy-Source") }

func (r *request) parseCopySource() (source, error) {
	path, query, _ := strings.Cut(r.copySource(), "?")
	path, err := url.PathUnescape(path)
	if err != nil {
		return source{}, errArgument
	}
	var from source
	from.bucket, from.key, _ = strings.Cut(strings.TrimPrefix(path, "/"), "/")
	from.version = strings.TrimPrefix(query, "versionId=")
	return from, nil
}

// settingName returns the stored setting that a request is for.
func (r *request) settingName() string {
	for name := range bucketSettings {
		if r.has(name) {
			return name
		}
	}
	return ""
}
