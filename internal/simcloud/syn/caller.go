package syn

import (
	"io"
	"net/http"
	"net/netip"
	"strings"
)

// caller is an authenticated user with Kubernetes permissions.
type caller struct {
	user    string
	cluster string // of its service account; "" is an engineer
}

// parseBearer returns 400 for a missing token, not 401.
func parseBearer(r *http.Request) (string, error) {
	scheme, token, found := strings.Cut(r.Header.Get("Authorization"), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", newAPIError(http.StatusBadRequest, "missing or malformed jwt")
	}
	return token, nil
}

// authenticate accepts tokens of service accounts and of the sign-on. One that this process has never accepted is rejected with
// 500, as the API first asks Kubernetes for its kinds and does not understand why it is refused.
func (l *Lieutenant) authenticate(token, remote string) (caller, error) {
	who, err := l.findCaller(token, remote)
	switch {
	case err == nil:
		l.accepted[token] = true
	case !l.accepted[token]:
		err = newAPIError(http.StatusInternalServerError, "failed to get server groups: the server has asked for the client to provide credentials")
	}
	return who, err
}

func (l *Lieutenant) findCaller(token, remote string) (caller, error) {
	if subject, ok := l.accounts.findSubject(token); ok {
		name := strings.TrimPrefix(subject, accountPrefix)
		if name == engineer {
			name = ""
		}
		return caller{user: subject, cluster: name}, nil
	}
	if user, ok := l.signOn.verifyIDToken(token, remote); ok {
		return caller{user: user}, nil
	}
	return caller{}, newUnauthorized()
}

func parseRemote(remote string) netip.Addr {
	from, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	return from.Addr()
}

// checkAccess follows the roles that the operator creates: a cluster may read itself and report its facts, nothing else.
func (c caller) checkAccess(verb, resource, name string) error {
	own := strings.HasPrefix(resource, "clusters") && name == c.cluster && (verb == "get" || verb == "update")
	if c.cluster == "" || own {
		return nil
	}
	return c.newForbidden(verb, resource, name)
}

func (c caller) newForbidden(verb, resource, name string) error {
	object := ""
	if name != "" {
		object = " '" + name + "'"
	}
	return newAPIError(http.StatusForbidden, "%s.syn.tools%s is forbidden: User '%s' cannot %s resource '%s' in API group 'syn.tools' in the namespace '%s'",
		resource, object, c.user, verb, resource, namespace)
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, newAPIError(http.StatusBadRequest, "request body has an error: reading failed: %v", err)
	}
	return body, nil
}
