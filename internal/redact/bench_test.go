package redact_test

import (
	"bytes"
	"fmt"
	"testing"

	"exoshift/internal/redact"
)

// BenchmarkRedact uses content like the events and objects of a cluster.
func BenchmarkRedact(b *testing.B) {
	var content bytes.Buffer
	for n := 0; content.Len() < 1<<20; n++ {
		fmt.Fprintf(&content, `{"v":1,"time":"2026-05-04T14:00:00.%09dZ","seq":%d,"type":"node","name":"worker-%d","reason":"KubeletNotReady: container runtime network not ready: NetworkReady=false","text":"203.0.113.%d reaches https://api.c-demo-1.example.net:6443/readyz"}`+"\n", n, n, n%1000, n%250)
	}
	b.SetBytes(int64(content.Len()))
	for b.Loop() {
		r := redact.New()
		r.AddIdentity(redact.Domain, "example.net")
		r.AddIdentity(redact.Cluster, "c-demo-1")
		for n := range 1000 {
			r.AddSecret(redact.Key, fmt.Sprintf("MIIEpAIBAAKCAQEAx%dsecretsecretsecretsecret", n))
		}
		r.Add("events.jsonl", content.Bytes())
		if err := r.ForEach(func(string, []byte) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
