// Package imagesource pulls images from registries, and checks that registries are reached.
package imagesource

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/payload"
)

// PullTimeout is the timeout of a registry, on the wall clock at least.
const PullTimeout = 20 * time.Second

// Source is an image in a registry.
type Source struct {
	HTTP               *http.Client
	Timeout            time.Duration
	Host, Path, Digest string
	Secret             string // user:password, or ""
	authorization      string // the header of requests; "" before the registry required it
}

var realm = regexp.MustCompile(`realm="([^"]+)"`)

const manifestTypes = payload.ManifestType + ", " + payload.ListType

// Pull reads the manifest and the layers of an image for amd64.
func (s *Source) Pull(ctx context.Context) error {
	header, err := s.requestManifest(ctx)
	if err != nil {
		return err
	}
	digest := s.Digest
	if header.Get("Content-Type") == payload.ListType {
		var list struct {
			Manifests []struct {
				Digest   string
				Platform struct{ Architecture string }
			}
		}
		if _, _, err := s.sendRequest(ctx, http.MethodGet, s.formatURL("manifests", digest), &list); err != nil {
			return err
		}
		for _, part := range list.Manifests {
			if part.Platform.Architecture == "amd64" {
				digest = part.Digest
			}
		}
	}
	return s.fetchLayers(ctx, digest)
}

func (s *Source) requestManifest(ctx context.Context) (http.Header, error) {
	status, header, err := s.sendRequest(ctx, http.MethodHead, s.formatURL("manifests", s.Digest), nil)
	if err != nil {
		return nil, fmt.Errorf("pinging container registry %s: %w", s.Host, err)
	}
	if found := realm.FindStringSubmatch(header.Get("WWW-Authenticate")); status == http.StatusUnauthorized && found != nil {
		token, err := s.requestToken(ctx, found[1])
		if err != nil {
			return nil, err
		}
		s.authorization = "Bearer " + token
		if status, header, err = s.sendRequest(ctx, http.MethodHead, s.formatURL("manifests", s.Digest), nil); err != nil {
			return nil, err
		}
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("reading manifest %s in %s/%s: %s", s.Digest, s.Host, s.Path, http.StatusText(status))
	}
	return header, nil
}

// fetchLayers follows the registry's redirects.
func (s *Source) fetchLayers(ctx context.Context, digest string) error {
	var image struct{ Layers []struct{ Digest string } }
	if _, _, err := s.sendRequest(ctx, http.MethodGet, s.formatURL("manifests", digest), &image); err != nil {
		return err
	}
	for _, layer := range image.Layers {
		status, _, err := s.sendRequest(ctx, http.MethodGet, s.formatURL("blobs", layer.Digest), nil)
		if err == nil && status != http.StatusOK {
			err = errors.New(http.StatusText(status))
		}
		if err != nil {
			return fmt.Errorf("reading blob %s: %w", layer.Digest, err)
		}
	}
	return nil
}

func (s *Source) formatURL(kind, digest string) string {
	return "https://" + s.Host + "/v2/" + s.Path + "/" + kind + "/" + digest
}

func (s *Source) requestToken(ctx context.Context, realm string) (string, error) {
	if s.Secret != "" {
		s.authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(s.Secret))
	}
	var answer struct{ Token string }
	query := url.Values{"service": {s.Host}, "scope": {"repository:" + s.Path + ":pull"}}
	status, _, err := s.sendRequest(ctx, http.MethodGet, realm+"?"+query.Encode(), &answer)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("unable to retrieve auth token: invalid username/password: unauthorized: %s", http.StatusText(status))
	}
	return answer.Token, err
}

func (s *Source) sendRequest(ctx context.Context, method, address string, into any) (int, http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Accept", manifestTypes)
	if s.authorization != "" {
		request.Header.Set("Authorization", s.authorization)
	}
	response, err := s.HTTP.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err == nil && into != nil && response.StatusCode == http.StatusOK {
		err = json.Unmarshal(content, into)
	}
	return response.StatusCode, response.Header, err
}

// PingRegistry requests a token from a registry. Its errors are the container runtime's.
func PingRegistry(ctx context.Context, m machine.Machine, host string, timeout time.Duration) error {
	transport := m.Network().NewTransport()
	defer transport.CloseIdleConnections()
	s := &Source{HTTP: &http.Client{Transport: transport}, Timeout: max(timeout, PullTimeout), Host: host, Path: "library/any"}
	status, header, err := s.sendRequest(ctx, http.MethodGet, "https://"+host+"/v2/", nil)
	if err != nil {
		return fmt.Errorf("pinging container registry %s: %w", host, err)
	}
	if found := realm.FindStringSubmatch(header.Get("WWW-Authenticate")); status == http.StatusUnauthorized && found != nil {
		_, _, err := s.sendRequest(ctx, http.MethodGet, found[1]+"?service="+host, nil)
		return err
	}
	if status >= http.StatusInternalServerError {
		return fmt.Errorf("pinging container registry %s: received unexpected HTTP status: %d %s", host, status, http.StatusText(status))
	}
	return nil
}
