package openshift

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

const (
	dockerConfigFile = "/root/.docker/config.json" // the pull secret
	pullTime         = 70 * time.Second
	// pullPatience is how long a registry may take to answer, on the wall clock at least.
	pullPatience = 20 * time.Second
)

// pulls is release-image.service: it asks the registry for the release image, with the pull secret if it must, and
// pulls it. The real one asks again until it succeeds, too.
func (h *bootstrapHost) pulls(ctx context.Context) error {
	image := h.text("release-image")
	repository, digest, ok := strings.Cut(image, "@")
	registry, path, named := strings.Cut(repository, "/")
	if !ok || !named {
		return fmt.Errorf("invalid reference format: %q", image)
	}
	s := source{
		http: &http.Client{Transport: h.machine.Network().Transport()}, patience: max(h.cluster.patience(), pullPatience), host: registry, path: path, digest: digest,
		secret: h.pullSecret(repository),
	}
	defer s.http.CloseIdleConnections()
	if err := s.manifest(ctx); err != nil {
		err = fmt.Errorf("pull failed, retrying: initializing source docker://%s: %w", image, err)
		h.record.fail("release-image", err.Error())
		return err
	}
	return h.world.work(ctx, pullTime)
}

// pullSecret returns what the pull secret has for a repository, "user:password"; the most specific entry counts.
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
			decoded, _ := base64.StdEncoding.DecodeString(entry.Auth) // the registry refuses what nobody can read
			return string(decoded)
		}
	}
	return ""
}

// source is an image in a registry, as a program sees it that pulls.
type source struct {
	http               *http.Client
	patience           time.Duration
	host, path, digest string
	secret             string // user:password, or ""
}

var realm = regexp.MustCompile(`realm="([^"]+)"`)

// manifest asks for the image's manifest, after asking for a token if the registry wants one.
func (s source) manifest(ctx context.Context) error {
	at := "https://" + s.host + "/v2/" + s.path + "/manifests/" + s.digest
	status, header, err := s.ask(ctx, http.MethodHead, at, "", nil)
	if err != nil {
		return fmt.Errorf("pinging container registry %s: %w", s.host, err)
	}
	if found := realm.FindStringSubmatch(header.Get("WWW-Authenticate")); status == http.StatusUnauthorized && found != nil {
		token, err := s.token(ctx, found[1])
		if err != nil {
			return err
		}
		if status, _, err = s.ask(ctx, http.MethodHead, at, "Bearer "+token, nil); err != nil {
			return err
		}
	}
	if status != http.StatusOK {
		return fmt.Errorf("reading manifest %s in %s/%s: %s", s.digest, s.host, s.path, http.StatusText(status))
	}
	return nil
}

func (s source) token(ctx context.Context, realm string) (string, error) {
	authorization := ""
	if s.secret != "" {
		authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(s.secret))
	}
	var answer struct{ Token string }
	query := url.Values{"service": {s.host}, "scope": {"repository:" + s.path + ":pull"}}
	status, _, err := s.ask(ctx, http.MethodGet, realm+"?"+query.Encode(), authorization, &answer)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("unable to retrieve auth token: invalid username/password: unauthorized: %s", http.StatusText(status))
	}
	return answer.Token, err
}

// ask sends a request without a body; an answer of success is decoded, if anybody wants it.
func (s source) ask(ctx context.Context, method, address, authorization string, into any) (int, http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return 0, nil, err
	}
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	response, err := s.http.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if into != nil && response.StatusCode == http.StatusOK {
		err = json.NewDecoder(response.Body).Decode(into)
	}
	return response.StatusCode, response.Header, err
}
