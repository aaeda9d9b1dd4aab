package signin_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner/syn/signin"
)

func browse(t *testing.T, url string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer func() { _ = answer.Body.Close() }()
	content, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(content)
}

// await waits for a callback with the state "right"; comeBack is the person's browser.
func await(t *testing.T, comeBack func(address string) error) (string, error) {
	t.Helper()
	listener, err := signin.ListenLoopback("0")()
	if err != nil {
		t.Fatal(err)
	}
	callback := signin.Callback{Listener: listener, Path: "/back", State: "right"}
	return callback.WaitCode(t.Context(), "https://id.example.net", func(_ context.Context, page string) error {
		if page != "https://id.example.net" {
			t.Errorf("shown is %q", page)
		}
		return comeBack("http://" + listener.Addr().String())
	})
}

func TestWaitCode_BrowserMayClose(t *testing.T) {
	code, err := await(t, func(address string) error {
		status, page := browse(t, address+"/back?state=right&code=abc")
		if status != http.StatusOK || !strings.Contains(page, "may close") || strings.Contains(page, "abc") {
			t.Errorf("%d %s", status, page)
		}
		return nil
	})
	if code != "abc" || err != nil {
		t.Errorf("%q, %v", code, err)
	}
}

func TestWaitCode_IgnoresForeignRequests(t *testing.T) {
	code, err := await(t, func(address string) error {
		for path, want := range map[string]int{
			"/back?state=wrong&code=evil": 400, "/back?code=evil": 400, "/back?state=&code=evil": 400, "/favicon.ico": 404,
			"/back?state=wrong&error=access_denied": 400, "/?state=right&code=evil": 404,
		} {
			if status, _ := browse(t, address+path); status != want {
				t.Errorf("%s is answered with %d", path, status)
			}
		}
		browse(t, address+"/back?state=right&code=good")
		return nil
	})
	if code != "good" || err != nil {
		t.Errorf("%q, %v", code, err)
	}
}

func TestHandler_SecondCallbackIsIgnored(t *testing.T) {
	listener, err := signin.ListenLoopback("0")()
	if err != nil {
		t.Fatal(err)
	}
	handler := signin.Handler(signin.Callback{Listener: listener, Path: "/", State: "right"})
	_ = listener.Close()
	for n, want := range []int{http.StatusOK, http.StatusConflict} {
		if status := answerOf(handler, "/?state=right&code=abc"); status != want {
			t.Errorf("callback %d is answered with %d", n+1, status)
		}
	}
}

func TestWaitCode_Refused(t *testing.T) {
	for query, want := range map[string]string{
		"error=access_denied&error_description=no%1b[31m%0athanks":       "sign-in: no thanks",
		"error=access_denied&code=canary":                                "rejected",
		"error=temporarily_unavailable&error_description=" + long(1<<12): "temporarily_unavailable",
		"":      "without a code",
		"code=": "without a code",
	} {
		_, err := await(t, func(address string) error {
			if status, page := browse(t, address+"/back?state=right&"+query); status != http.StatusForbidden || !strings.Contains(page, "not signed in") {
				t.Errorf("%d %s", status, page)
			}
			return nil
		})
		if !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), want) || fault.HintOf(err) == "" || len(err.Error()) > 500 {
			t.Errorf("%q: %v", query, err)
		}
		if strings.ContainsAny(err.Error(), "\x1b\n") || strings.Contains(err.Error(), "canary") {
			t.Errorf("%q: %q", query, err)
		}
	}
}

func long(n int) string { return strings.Repeat("x", n) }

func TestWaitCode_EndsWhenShowFails(t *testing.T) {
	failed := errors.New("no terminal")
	if _, err := await(t, func(string) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("error = %v", err)
	}
}

func TestWaitCode_EndsWithContext(t *testing.T) {
	listener, err := signin.ListenLoopback("0")()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	ended := make(chan struct{})
	_, err = signin.Callback{Listener: listener, Path: "/", State: "s"}.WaitCode(ctx, "", func(ctx context.Context, _ string) error {
		defer close(ended)
		<-ctx.Done()
		return nil
	})
	if !fault.Is(err, fault.Timeout) {
		t.Errorf("error = %v", err)
	}
	<-ended
	again, err := signin.ListenLoopback(portOf(t, listener))()
	if err != nil {
		t.Fatalf("the port is still taken: %v", err)
	}
	_ = again.Close()
}

func portOf(t *testing.T, listener net.Listener) string {
	t.Helper()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func answerOf(handler http.Handler, path string) int {
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
	return answer.Code
}
