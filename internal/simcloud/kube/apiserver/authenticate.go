package apiserver

import (
	"crypto/x509"
	"net/http"
	"slices"
	"strings"
	"time"
)

// User is the authenticated user of a request.
type User struct {
	Name   string
	Groups []string
}

// Attributes are a request's attributes for an authorizer.
type Attributes struct {
	User        User
	Verb        string // get, list, watch, create, update, patch, delete
	Group       string
	Resource    string // with its subresource: "pods/status"; "" for a path that is no object
	Namespace   string
	Name        string
	Path        string
	OwnerOfSpec string // spec.nodeName of a field selector, for kubelets that list their pods
}

// Authenticator authenticates by client certificate, else by bearer token, else as anonymous.
type Authenticator struct {
	// Clients returns the authorities of client certificates. It must return another pool after a change.
	Clients func() *x509.CertPool
	// Token returns the user of a bearer token; nil: there are no tokens.
	Token func(string) (User, bool)
	// Issue returns a token of a service account with an expiry; nil: there are none.
	Issue func(namespace, account string, expires time.Time) string

	verified chains
}

const (
	anonymous     = "system:anonymous"
	authenticated = "system:authenticated"
)

func (a *Authenticator) authenticateUser(r *http.Request) (User, error) {
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		return a.verifyCertificate(r.TLS.PeerCertificates[0])
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		if a.Token != nil {
			if user, ok := a.Token(token); ok {
				return user.withAuthenticatedGroup(), nil
			}
		}
		return User{}, newUnauthorized()
	}
	return User{Name: anonymous, Groups: []string{"system:unauthenticated"}}, nil
}

// verifyCertificate refuses a certificate with 401, not in the handshake, as the real API server does.
func (a *Authenticator) verifyCertificate(certificate *x509.Certificate) (User, error) {
	if err := a.verified.verify(certificate, a.Clients()); err != nil {
		return User{}, newUnauthorized()
	}
	subject := certificate.Subject
	return User{Name: subject.CommonName, Groups: subject.Organization}.withAuthenticatedGroup(), nil
}

func (u User) withAuthenticatedGroup() User {
	u.Groups = append(slices.Clone(u.Groups), authenticated)
	return u
}

// HasGroup reports whether the user is a member of a group.
func (u User) HasGroup(group string) bool { return slices.Contains(u.Groups, group) }
