package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"exoshift/internal/app/run"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// askCluster calls the API of a cluster as its administrator, and decodes the response into a value unless that is nil.
func askCluster(t *testing.T, s run.Run, method, path string, into any) {
	t.Helper()
	requestCluster(t, s, method, path, "", into)
}

// requestCluster does the same with a JSON body.
func requestCluster(t *testing.T, s run.Run, method, path, body string, into any) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
	}
	kubeconfig, err := s.ReadKubeconfig()
	check(err)
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	check(err)
	config.Dial = s.Net.Dial
	client, err := rest.HTTPClientFor(config)
	check(err)
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), method, config.Host+path, strings.NewReader(body))
	check(err)
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	check(err)
	defer func() { _ = answer.Body.Close() }()
	if into == nil && answer.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s", method, path, answer.Status)
	}
	if into != nil {
		check(json.NewDecoder(answer.Body).Decode(into))
	}
}
