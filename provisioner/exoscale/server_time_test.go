package exoscale_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/site"
)

func TestGetServerTime_FromAnswer(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		now, err := w.GetServerTime(ctx)
		w.check(err)
		if off := time.Since(now).Abs(); off > time.Second {
			w.t.Errorf("off by %s", off)
		}
		w.InjectFaults(site.Fault{Match: "GET /v2/zone", Respond: func(answer http.ResponseWriter, request *http.Request) {
			if request.Header.Get("Authorization") != "" {
				w.t.Error("the request is signed, which a wrong clock spoils")
			}
			answer.Header().Set("Date", "Tue, 02 Jan 2035 03:04:05 GMT")
			matchPattern(200, `{"zones":[]}`)(answer, request)
		}})
		now, err = w.GetServerTime(ctx)
		w.check(err)
		if want := time.Date(2035, 1, 2, 3, 4, 5, 0, time.UTC); !now.Equal(want) {
			w.t.Errorf("%s, want %s", now, want)
		}
		w.InjectFaults(site.Fault{Match: "GET /v2/zone", Respond: func(answer http.ResponseWriter, request *http.Request) {
			answer.Header()["Date"] = nil
			matchPattern(200, `{"zones":[]}`)(answer, request)
		}})
		_, err = w.GetServerTime(ctx)
		w.wantFault(err, fault.Internal, "no date", "proxy")
	})
}
