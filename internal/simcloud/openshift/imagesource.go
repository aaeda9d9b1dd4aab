package openshift

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

// pullTimeout is the timeout of a registry, on the wall clock at least.
const pullTimeout = 20 * time.Second

// source is an image in a registry.
type source struct {
	http               *http.Client
	timeout            time.Duration
	host, path, digest string
	secret             string // user:password, or ""
	authorization      string // the header of requests; "" before the registry required it
}

var realm = regexp.MustCompile(`realm="([^"]+)"`)

const manifestTypes = payload.ManifestType + ", " + payload.ListType

// pull reads the manifest and the layers of an image for amd64.
func (s *source) pull(ctx context.Context) error {
	header, err := s.requestManifest(ctx)
	if err != nil {
		return err
	}
	digest := s.digest
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

func (s *source) requestManifest(ctx context.Context) (http.Header, error) {
	status, header, err := s.sendRequest(ctx, http.MethodHead, s.formatURL("manifests", s.digest), nil)
	if err != nil {
		return nil, fmt.Errorf("pinging container registry %s: %w", s.host, err)
	}
	if found := realm.FindStringSubmatch(header.Get("WWW-Authenticate")); status == http.StatusUnauthorized && found != nil {
		token, err := s.requestToken(ctx, found[1])
		if err != nil {
			return nil, err
		}
		s.authorization = "Bearer " + token
		if status, header, err = s.sendRequest(ctx, http.MethodHead, s.formatURL("manifests", s.digest), nil); err != nil {
			return nil, err
		}
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("reading manifest %s in %s/%s: %s", s.digest, s.host, s.path, http.StatusText(status))
	}
	return header, nil
}

// fetchLayers follows the registry's redirects.
func (s *source) fetchLayers(ctx context.Context, digest string) error {
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

func (s *source) formatURL(kind, digest string) string {
	return "https://" + s.host + "/v2/" + s.path + "/" + kind + "/" + digest
}

func (s *source) requestToken(ctx context.Context, realm string) (string, error) {
	if s.secret != "" {
		s.authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(s.secret))
	}
	var answer struct{ Token string }
	query := url.Values{"service": {s.host}, "scope": {"repository:" + s.path + ":pull"}}
	status, _, err := s.sendRequest(ctx, http.MethodGet, realm+"?"+query.Encode(), &answer)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("unable to retrieve auth token: invalid username/password: unauthorized: %s", http.StatusText(status))
	}
	return answer.Token, err
}

func (s *source) sendRequest(ctx context.Context, method, address string, into any) (int, http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Accept", manifestTypes)
	if s.authorization != "" {
		request.Header.Set("Authorization", s.authorization)
	}
	response, err := s.http.Do(request)
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

// pingRegistry requests a token from a registry. Its errors are the container runtime's.
func pingRegistry(ctx context.Context, m machine.Machine, host string, timeout time.Duration) error {
	transport := m.Network().NewTransport()
	defer transport.CloseIdleConnections()
	s := &source{http: &http.Client{Transport: transport}, timeout: max(timeout, pullTimeout), host: host, path: "library/any"}
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
