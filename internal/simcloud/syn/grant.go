package syn

import (
	"crypto/rand"
	"net/http"
	"time"
)

// grant is something that leads to tokens: a page to sign in, a code, a device, or a refresh token.
type grant struct {
	ID       string
	Kind     string
	Client   string
	Redirect string
	State    string
	Nonce    string
	// Challenge is S256 of the verifier; "" if the client came without.
	Challenge string
	Until     time.Time // by the wall clock
	UserCode  string    // of a device
	Approved  bool      // somebody has signed in for the device
	Polled    time.Time // by the clock of the zone: when the device asked last
}

const (
	pageGrant    = "page"
	codeGrant    = "code"
	waitingGrant = "device"
	freshGrant   = "refresh"
)

// saveGrant gives a grant an ID, and forgets those that ended long before it will.
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

// takeGrant returns a grant and takes it away: each is good for one time.
func (s *Syn) takeGrant(id, kind string, r *http.Request) (grant, bool) {
	g, ok := s.grants.Get(id)
	if !ok || g.Kind != kind {
		return grant{}, false
	}
	_ = s.grants.Delete(id) // one that stays is too old soon
	return g, s.getServerTime(r).Before(g.Until)
}

// getServerTime is the time of the sign-on, as it shows to whoever asks.
func (s *Syn) getServerTime(r *http.Request) time.Time {
	return s.config.Now(parseRemote(r.RemoteAddr))
}
