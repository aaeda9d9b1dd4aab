package s3

import (
	"net/http"
	"strings"
)

// Credentials looks up an API key: its secret, and its permissions. Operations are named as in "put-object"; bucket and object
// are "" where an operation has none.
type Credentials func(key string) (secret string, allows func(operation, bucket, object string) bool, ok bool)

// newOwnerCredentials has one key with all permissions.
func newOwnerCredentials(key, secret string) Credentials {
	return func(given string) (string, func(operation, bucket, object string) bool, bool) {
		return secret, func(string, string, string) bool { return true }, given == key
	}
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
