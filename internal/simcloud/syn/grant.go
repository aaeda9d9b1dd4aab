package syn

import (
	"crypto/rand"
	"net/http"
	"time"
)

// grant leads to tokens: a sign-in page, a code, a device, or a refresh token.
type grant struct {
	ID       string
	Kind     string
	Client   string
	Redirect string
	State    string
	Nonce    string
	// Challenge is S256 of the verifier; "" without PKCE.
	Challenge string
	Until     time.Time // by the wall clock
	UserCode  string    // of a device
	Approved  bool      // the device's sign-in is complete
	Polled    time.Time // by the zone's clock: the device's last poll
}

const (
	pageGrant    = "page"
	codeGrant    = "code"
	waitingGrant = "device"
	freshGrant   = "refresh"
)

// saveGrant sets a grant's ID, and removes those that have long expired.
func (s *Syn) saveGrant(g grant) (grant, error) {
	g.ID = rand.Text()
	for _, old := range s.grants.List() {
		if !old.Until.Before(g.Until.Add(-2 * refreshTokenLife)) {
			continue
		}
		if err := s.grants.Delete(old.ID); err != nil {
			return g, err
		}
	}
	return g, s.grants.Put(g.ID, g)
}

// takeGrant returns and removes a grant: each is valid once.
func (s *Syn) takeGrant(id, kind string, r *http.Request) (grant, bool) {
	g, ok := s.grants.Get(id)
	if !ok || g.Kind != kind {
		return grant{}, false
	}
	_ = s.grants.Delete(id) // a leftover expires soon
	return g, s.getServerTime(r).Before(g.Until)
}

// getServerTime returns the sign-on's time for the client.
func (s *Syn) getServerTime(r *http.Request) time.Time {
	return s.config.Now(parseRemote(r.RemoteAddr))
}
