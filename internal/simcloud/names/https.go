package names

import (
	"encoding/base64"
	"io"
	"net/http"

	"github.com/miekg/dns"
)

const message = "application/dns-message"

// ServeHTTP serves DNS over HTTPS: POST with the message, GET with it in the parameter "dns".
func (r *Resolver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.URL.Path != "/dns-query" {
		http.NotFound(w, request)
		return
	}
	if request.Method == http.MethodPost && request.Header.Get("Content-Type") != message {
		http.Error(w, "the body is no "+message, http.StatusUnsupportedMediaType)
		return
	}
	packed, err := readQuestion(request)
	asked := new(dns.Msg)
	if err != nil || asked.Unpack(packed) != nil {
		http.Error(w, "that is no DNS message", http.StatusBadRequest)
		return
	}
	r.serve(w, request, asked)
}

func (r *Resolver) serve(w http.ResponseWriter, request *http.Request, asked *dns.Msg) {
	reply, err := r.Resolve(request.Context(), asked)
	if err != nil {
		return // the client closed the connection
	}
	packed, err := reply.Pack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", message)
	_, _ = w.Write(packed) // the client closed the connection
}

func readQuestion(request *http.Request) ([]byte, error) {
	if request.Method == http.MethodGet {
		return base64.RawURLEncoding.DecodeString(request.URL.Query().Get("dns"))
	}
	return io.ReadAll(io.LimitReader(request.Body, dns.MaxMsgSize))
}
