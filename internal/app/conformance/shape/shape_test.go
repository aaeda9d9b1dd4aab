package shape

import (
	"net/http"
	"testing"

	"exoshift/internal/app/conformance/har"
)

func answers(method string, statuses ...int) (archive har.Archive) {
	for _, status := range statuses {
		var e har.Entry
		e.Request.Method, e.Request.URL, e.Response.Status = method, "https://api-ch-gva-2.exoscale.com/v2/security-group/a/rules/b", status
		archive.Log.Entries = append(archive.Log.Entries, e)
	}
	return archive
}

func TestCompare_StatusOfDeletions(t *testing.T) {
	for name, c := range map[string]struct {
		method   string
		recorded int
		want     int // differences
	}{
		"deleted twice":  {http.MethodDelete, http.StatusNotFound, 0},
		"deletion fails": {http.MethodDelete, http.StatusConflict, 1},
		"read and gone":  {http.MethodGet, http.StatusNotFound, 1},
	} {
		if found := Compare(answers(c.method, http.StatusOK, c.recorded), answers(c.method, http.StatusOK)); len(found) != c.want {
			t.Errorf("%s: %v", name, found)
		}
	}
}
