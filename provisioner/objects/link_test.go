package objects_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
)

func (w *world) put(ctx context.Context, link, content string) int {
	w.t.Helper()
	client := w.net.NewClient()
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, link, strings.NewReader(content))
	w.check(err)
	answer, err := client.Do(request)
	w.check(err)
	_ = answer.Body.Close()
	return answer.StatusCode
}

func TestSignPutURL_WritesUntilExpiry(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		link, err := w.SignPutURL(ctx, "c-bootstrap", "report", time.Minute)
		w.check(err)
		if status := w.put(ctx, link, "first"); status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
		if status := w.put(ctx, strings.Replace(link, "/report", "/other", 1), "x"); status != http.StatusForbidden {
			t.Errorf("another object: status %d", status)
		}
		got, err := w.GetObject(ctx, "c-bootstrap", "report", 5)
		if err != nil || string(got) != "first" {
			t.Errorf("%q, %v", got, err)
		}
		w.check(w.net.Clock.Sleep(ctx, 2*time.Minute))
		if status := w.put(ctx, link, "late"); status != http.StatusForbidden {
			t.Errorf("an expired link: status %d", status)
		}
		if answer, err := w.net.NewClient().Get(link); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode != http.StatusForbidden {
				t.Errorf("reading by a link to write: status %d", answer.StatusCode)
			}
		}
	})
}

func TestGetObject_LimitAndDelete(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		_, err := w.GetObject(ctx, "c-bootstrap", "task", 5)
		w.wantFault(err, fault.NotFound)
		_, err = w.EnsureObject(ctx, "c-bootstrap", "task", []byte("too much"))
		w.check(err)
		_, err = w.GetObject(ctx, "c-bootstrap", "task", 5)
		w.wantFault(err, fault.Invalid, "5 bytes")
		for range 2 {
			action, err := w.DeleteObject(ctx, "c-bootstrap", "task")
			w.wantAction(action, err, state.Deleted)
		}
		_, err = w.GetObject(ctx, "c-bootstrap", "task", 99)
		w.wantFault(err, fault.NotFound)
	})
}

func TestListBucketDates_CreationDates(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		began := time.Now().Truncate(time.Second)
		w.bucket(ctx)
		dates, err := w.ListBucketDates(ctx)
		w.check(err)
		if made := dates["c-bootstrap"]; len(dates) != 1 || made.Before(began) || time.Since(made) > time.Minute {
			t.Errorf("%v, begun at %s", dates, began)
		}
	})
}
