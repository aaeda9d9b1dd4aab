package registry

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
)

// credentials must never reach evidence or errors, so they print as nothing.
type credentials struct{ user, password string }

func (credentials) String() string   { return "(credentials)" }
func (credentials) GoString() string { return "(credentials)" }

// errPullSecret does not wrap the cause: a decoder's message quotes what it read.
var errPullSecret = errors.New("the pull secret has an unexpected format")

type pullEntry struct {
	Auth     string `json:"auth"` // user:password in base64
	Username string `json:"username"`
	Password string `json:"password"`
}

// The registry is "host" or "host:port"; the entry with the longest matching key wins. The repository may be empty.
func findCredentials(pullSecret, registry, repository string) (found credentials, ok bool, err error) {
	if strings.TrimSpace(pullSecret) == "" {
		return credentials{}, false, nil
	}
	var document struct {
		Auths map[string]pullEntry `json:"auths"`
	}
	if json.Unmarshal([]byte(pullSecret), &document) != nil {
		return credentials{}, false, errPullSecret
	}
	wanted, longest := normalizeKey(registry)+"/"+repository+"/", ""
	for key := range document.Auths {
		if prefix := normalizeKey(key); strings.HasPrefix(wanted, prefix+"/") && (longest == "" || len(prefix) > len(normalizeKey(longest))) {
			longest = key
		}
	}
	if longest == "" {
		return credentials{}, false, nil
	}
	found, err = document.Auths[longest].decode()
	return found, err == nil, err
}

func normalizeKey(key string) string {
	key = strings.ToLower(key)
	for _, prefix := range []string{"https://", "http://"} {
		key = strings.TrimPrefix(key, prefix)
	}
	key = strings.TrimSuffix(key, "/")
	switch host, _, _ := strings.Cut(key, "/"); host {
	case "docker.io", "index.docker.io", "registry-1.docker.io": // aliases of one registry; clients use the first two
		return "docker.io"
	}
	return strings.TrimSuffix(key, ":443")
}

func (e pullEntry) decode() (credentials, error) {
	if e.Auth == "" {
		return credentials{e.Username, e.Password}, nil
	}
	decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.TrimSpace(e.Auth), "="))
	user, password, found := strings.Cut(string(decoded), ":")
	if err != nil || !found {
		return credentials{}, errPullSecret
	}
	return credentials{user, strings.TrimRight(password, "\x00\r\n")}, nil
}
