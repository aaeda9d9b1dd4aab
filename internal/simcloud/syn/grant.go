package syn

import (
	"crypto/rand"
	"time"

	"exoshift/internal/simcloud/store"
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

// grants are the pending sign-ins, and the refresh tokens.
type grants struct{ *store.Table[grant] }

// save sets a grant's ID, and removes those that have long expired.
func (t grants) save(g grant) (grant, error) {
	g.ID = rand.Text()
	for _, old := range t.List() {
		if !old.Until.Before(g.Until.Add(-2 * refreshTokenLife)) {
			continue
		}
		if err := t.Delete(old.ID); err != nil {
			return g, err
		}
	}
	return g, t.Put(g.ID, g)
}

// take returns and removes a grant: each is valid once.
func (t grants) take(id, kind string, now time.Time) (grant, bool) {
	g, ok := t.Get(id)
	if !ok || g.Kind != kind {
		return grant{}, false
	}
	_ = t.Delete(id) // a leftover expires soon
	return g, now.Before(g.Until)
}
