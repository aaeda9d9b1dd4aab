package kube

import (
	"crypto/x509"
	"net/http"
	"slices"
	"strings"
	"time"
)

// User is who asks.
type User struct {
	Name   string
	Groups []string
}

// Attributes is what is asked for, for an authorizer.
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

// Authenticator finds out who asks: by client certificate, else by bearer token, else it is nobody.
type Authenticator struct {
	// Clients returns the authorities of client certificates: another pool when they are others.
	Clients func() *x509.CertPool
	// Token returns the user of a bearer token; nil: there are no tokens.
	Token func(string) (User, bool)
	// Issue returns a token of a service account that ends then; nil: there are none.
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

// verifyCertificate refuses a certificate with 401, not in the handshake: the real API server does so too.
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

// HasGroup tells whether the user is a member of a group.
func (u User) HasGroup(group string) bool { return slices.Contains(u.Groups, group) }
