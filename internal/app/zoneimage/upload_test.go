package zoneimage

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/provisioner/objects"
)

func TestCheckSent_KindOfFailure(t *testing.T) {
	const sum = "0123456789abcdef0123456789abcdef"
	for name, c := range map[string]struct {
		code   int
		tag    string
		answer string
		kind   fault.Kind
		text   string // of the error; "" for none
	}{
		"stored":                {code: http.StatusOK, tag: `"` + strings.ToUpper(sum) + `"`},
		"stored as another":     {code: http.StatusOK, tag: `"ffff"`, kind: fault.Transient, text: "the checksum"},
		"without its checksum":  {code: http.StatusOK, kind: fault.Transient, text: "the checksum"},
		"busy":                  {code: http.StatusServiceUnavailable, kind: fault.Transient, text: "503"},
		"too many at a time":    {code: http.StatusTooManyRequests, kind: fault.Transient, text: "429"},
		"a link that is over":   {code: http.StatusForbidden, answer: "<Error><Code>AccessDenied</Code></Error>", kind: fault.Denied, text: "AccessDenied"},
		"an upload that is not": {code: http.StatusNotFound, answer: "<Error><Code>NoSuchUpload</Code></Error>", kind: fault.Conflict, text: "NoSuchUpload"},
		"refused":               {code: http.StatusBadRequest, answer: "<html>", kind: fault.Invalid, text: "400"},
	} {
		status := strconv.Itoa(c.code) + " " + http.StatusText(c.code)
		response := &http.Response{StatusCode: c.code, Status: status, Header: http.Header{"Etag": {c.tag}}}
		err := checkSent("upload part 1", response, []byte(c.answer), objects.Part{ETag: sum})
		if c.text == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil || fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
