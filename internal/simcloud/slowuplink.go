package simcloud

import (
	"io"
	"net/http"
	"net/netip"
	"time"

	"exoshift/internal/network"
)

// slowParts lets the parts that the operator uploads take as long as the fault says.
func (f networkFault) slowParts(clock network.Clock, next http.Handler) http.Handler {
	if f.PartUpload == 0 {
		return next
	}
	return http.HandlerFunc(func(response http.ResponseWriter, r *http.Request) {
		from, err := netip.ParseAddrPort(r.RemoteAddr)
		if err == nil && isOperator(from.Addr()) && r.Method == http.MethodPut && r.URL.Query().Has("partNumber") && r.ContentLength > 0 {
			r.Body = &slowBody{ReadCloser: r.Body, left: max(r.ContentLength-inFlight, 1), perByte: f.PartUpload / time.Duration(r.ContentLength), sleep: func(d time.Duration) error {
				return clock.Sleep(r.Context(), d)
			}}
		}
		next.ServeHTTP(response, r)
	})
}

// inFlight is what of a body may be in buffers on the way, in bytes: it is read at once, as a sender that has written all of it waits
// for the answer for a minute at most.
const inFlight = 192 << 10

// slowBody is the body of one request.
type slowBody struct {
	io.ReadCloser
	left    int64 // bytes that are slow
	perByte time.Duration
	sleep   func(time.Duration) error
}

// Read implements io.Reader.
func (b *slowBody) Read(into []byte) (int, error) {
	const most = 4 << 10 // so that the sender does not notice pauses
	n, err := b.ReadCloser.Read(into[:min(len(into), most)])
	slow := min(int64(n), b.left)
	b.left -= slow
	if slept := b.sleep(time.Duration(slow) * b.perByte); slept != nil {
		return n, slept
	}
	return n, err
}
