package probe

import (
	"context"
	"encoding/xml"
	"errors"
	"net/http"
)

// probeS3 lists the buckets anonymously, which an object storage refuses with an S3 error.
func probeS3(ctx context.Context, a client) error {
	answer, err := a.fetch(ctx, call{url: a.buildURL("/")}, http.StatusOK, http.StatusForbidden)
	if err != nil {
		return err
	}
	if !isS3(answer.status, answer.body) {
		return answer.newProtocolError(errors.New("what answers is no object storage"))
	}
	return nil
}

func isS3(status int, body []byte) bool {
	var document struct {
		XMLName xml.Name
		Code    string `xml:"Code"`
	}
	if xml.Unmarshal(body, &document) != nil {
		return false
	}
	switch document.XMLName.Local {
	case "Error":
		return status == http.StatusForbidden && document.Code != ""
	case "ListAllMyBucketsResult":
		return status == http.StatusOK
	}
	return false
}
