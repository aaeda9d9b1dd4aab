package network

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

type roundTrip func(*http.Request) *http.Response

func (r roundTrip) RoundTrip(q *http.Request) (*http.Response, error) { return r(q), nil }

func body(length int64, content io.Reader) roundTrip {
	return func(*http.Request) *http.Response {
		return &http.Response{StatusCode: http.StatusOK, ContentLength: length, Body: io.NopCloser(content)}
	}
}

func TestLimits_Bytes(t *testing.T) {
	for _, test := range []struct {
		name, method string
		length       int64
		content      string
		want         error
	}{
		{"empty", "GET", 0, "", nil},
		{"as large as the limit", "GET", -1, "12345678", nil},
		{"one more", "GET", -1, "123456789", tooLarge(8)},
		{"announced", "GET", 9, "", tooLarge(8)},
		{"announced without a body", "HEAD", 9, "", nil},
	} {
		request, err := http.NewRequestWithContext(t.Context(), test.method, "https://example.org", nil)
		if err != nil {
			t.Fatal(err)
		}
		var content []byte
		answer, err := Limits{Bytes: 8}.Wrap(body(test.length, strings.NewReader(test.content))).RoundTrip(request)
		if err == nil {
			content, err = io.ReadAll(answer.Body)
			_ = answer.Body.Close()
		}
		if !errors.Is(err, test.want) || err == nil && string(content) != test.content || len(content) > 8 {
			t.Errorf("%s: %q, %v", test.name, content, err)
		}
	}
}

// slowBody blocks until its request ends, and ends with err.
type slowBody struct {
	q   *http.Request
	err error
}

func (b slowBody) Read([]byte) (int, error) {
	<-b.q.Context().Done()
	return 0, b.err
}

// What is cut by the limit is slow, however the connection ends.
func TestLimits_Time(t *testing.T) {
	for _, end := range []error{context.Canceled, io.ErrUnexpectedEOF, io.EOF} {
		t.Run(end.Error(), func(t *testing.T) { readSlowly(t, end) })
	}
}

func readSlowly(t *testing.T, end error) {
	synctest.Test(t, func(t *testing.T) {
		slow := roundTrip(func(q *http.Request) *http.Response {
			return &http.Response{StatusCode: http.StatusOK, ContentLength: -1, Body: io.NopCloser(slowBody{q, end})}
		})
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://example.org", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := Limits{Bytes: 8, Time: time.Minute}.Wrap(slow).RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		began := time.Now()
		_, err = io.ReadAll(answer.Body)
		if took := time.Since(began); !errors.Is(err, TooSlowError{time.Minute}) || took != time.Minute {
			t.Errorf("after %s: %v", took, err)
		}
		if byAnswer := DescribeError(err).Error(); byAnswer != "the answer was not complete after 1m0s" {
			t.Errorf("it is told as %q", byAnswer)
		}
	})
}
