package network

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/miekg/dns"
)

func FuzzUnpack(f *testing.F) {
	question := query("c.example.org", dns.TypeA)
	reply := new(dns.Msg).SetReply(question)
	if record, err := dns.NewRR("c.example.org. 60 IN A 192.0.2.1"); err == nil {
		reply.Answer = []dns.RR{record}
	}
	packed, err := reply.Pack()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(packed, question.Id)
	f.Add([]byte("<html>"), uint16(0x3c68))
	f.Add([]byte{0, 1, 0x80, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0xc0, 0x0c, 0, 1, 0, 1}, uint16(1))
	f.Fuzz(func(t *testing.T, body []byte, id uint16) {
		answer, err := unpack(&http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(body))}, id)
		if err != nil {
			return
		}
		if answer.Id != id {
			t.Fatalf("an answer to question %d was taken for one to %d", answer.Id, id)
		}
		for _, address := range extractAddresses(answer) {
			if !address.Is4() {
				t.Fatalf("%s is the address of an A record", address)
			}
		}
		_ = extractServers(answer.Ns, "example.org")
	})
}
