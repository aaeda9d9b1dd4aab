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
	"strings"
	"time"

	"exoshift/internal/simcloud/payload"
)

const (
	dockerConfigFile = "/root/.docker/config.json" // the pull secret
	pullTime         = 70 * time.Second
	// pullTimeout is the timeout of a registry, on the wall clock at least.
	pullTimeout = 20 * time.Second
)

// pullReleaseImage is release-image.service. It authenticates with the pull secret only if the registry requires it; like the
// real one it is retried until it succeeds.
func (h *bootstrapHost) pullReleaseImage(ctx context.Context) error {
	image := h.readText("release-image")
	repository, digest, ok := strings.Cut(image, "@")
	registry, path, named := strings.Cut(repository, "/")
	if !ok || !named {
		return fmt.Errorf("invalid reference format: %q", image)
	}
	s := source{
		http: &http.Client{Transport: h.machine.Network().NewTransport()}, timeout: max(h.cluster.getTimeout(), pullTimeout), host: registry, path: path, digest: digest,
		secret: h.pullSecret(repository),
	}
	defer s.http.CloseIdleConnections()
	if err := s.pull(ctx); err != nil {
		err = fmt.Errorf("pull failed, retrying: initializing source docker://%s: %w", image, err)
		h.record.recordFailure("release-image", err.Error())
		return err
	}
	return h.clusters.waitScaled(ctx, pullTime)
}

// pullSecret returns the "user:password" for a repository; the most specific entry takes precedence.
func (h *bootstrapHost) pullSecret(repository string) string {
	content, _ := h.machine.ReadFile(dockerConfigFile)
	var config struct {
		Auths map[string]struct{ Auth string }
	}
	if err := json.Unmarshal(content, &config); err != nil {
		h.machine.Console("release-image.service: %s: %v", dockerConfigFile, err)
	}
	for name := repository; name != ""; name = name[:max(0, strings.LastIndex(name, "/"))] {
		if entry, ok := config.Auths[name]; ok {
			decoded, _ := base64.StdEncoding.DecodeString(entry.Auth) // the registry refuses an undecodable secret
			return string(decoded)
		}
	}
	return ""
}

type source struct {
	http               *http.Client
	timeout            time.Duration
	host, path, digest string
	secret             string // user:password, or ""
	authorization      string // the header of requests; "" before the registry required it
}

var realm = regexp.MustCompile(`realm="([^"]+)"`)

const manifestTypes = payload.ManifestType + ", " + payload.ListType

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
