package signin_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/provisioner/syn/signin"
)

// elsewhere signs in by the device flow, and returns the page that was shown.
func elsewhere(t *testing.T, s *signOn, listen func() (net.Listener, error), showErr error) (page string, err error) {
	t.Helper()
	s.device = true
	options := s.options()
	options.Listen, options.Remote = listen, s.remote
	source := signin.New(options)
	err = source.SignIn(t.Context(), func(_ context.Context, url string) error { page = url; return showErr })
	if err == nil {
		_, err = source.Token(t.Context())
	}
	return page, err
}

func TestSignIn_Device(t *testing.T) {
	taken := func() (net.Listener, error) { return nil, errors.New("taken") }
	unwanted := func() (net.Listener, error) { t.Error("it listens"); return nil, errors.New("unwanted") }
	for name, test := range map[string]struct {
		complete bool
		listen   func() (net.Listener, error)
		refusals []string
		page     string
		remote   bool
	}{
		"by a link that has the code": {true, nil, nil, "https://example.com/enter?c=ABCD-EFGH", false},
		"by a code":                   {false, nil, nil, "https://example.com/enter?user_code=ABCD-EFGH", false},
		"as the port is taken":        {false, taken, nil, "https://example.com/enter?user_code=ABCD-EFGH", false},
		"as the browser is there":     {false, unwanted, nil, "https://example.com/enter?user_code=ABCD-EFGH", true},
		"and takes a while":           {false, nil, []string{"authorization_pending", "slow_down"}, "https://example.com/enter?user_code=ABCD-EFGH", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSignOn(t)
				s.complete, s.refusals, s.remote = test.complete, test.refusals, test.remote
				if page, err := elsewhere(t, s, test.listen, nil); page != test.page || err != nil {
					t.Errorf("%q, %v", page, err)
				}
			})
		})
	}
}

func TestSignIn_DeviceDeclined(t *testing.T) {
	pending := make([]string, 1000)
	for i := range pending {
		pending[i] = "authorization_pending"
	}
	gone := errors.New("nobody at the terminal")
	for name, test := range map[string]struct {
		refusals []string
		shown    error
		kind     fault.Kind
		says     string
	}{
		"but refuses":          {[]string{"access_denied"}, nil, fault.Denied, "access_denied"},
		"in time":              {pending, nil, fault.Timeout, "in time"},
		"as nobody is there":   {pending, gone, fault.Internal, gone.Error()},
		"before its code ends": {[]string{"expired_token"}, nil, fault.Denied, "expired_token"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSignOn(t)
				s.refusals = test.refusals
				_, err := elsewhere(t, s, nil, test.shown)
				if !fault.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), canary) {
					t.Errorf("error = %v", err)
				}
			})
		})
	}
}

// Keycloak advertises the device flow for all clients of a realm, and allows it per client.
func TestSignIn_DeviceFallsBackToBrowser(t *testing.T) {
	s := newSignOn(t)
	s.device, s.unable = true, true
	b := &browser{t: t, signOn: s}
	options := s.options()
	options.Listen, options.Remote = b.listen, true
	must(t, signin.New(options).SignIn(t.Context(), b.show))
	for says, listen := range map[string]func() (net.Listener, error){
		"no other flow": nil, "taken": func() (net.Listener, error) { return nil, errors.New("taken") },
	} {
		page, err := elsewhere(t, s, listen, nil)
		if page != "" || err == nil || !strings.Contains(err.Error(), says) || fault.HintOf(err) == "" {
			t.Errorf("%s: %q, %v", says, page, err)
		}
	}
}

func TestSignIn_NoMethodNeedsToken(t *testing.T) {
	s := newSignOn(t)
	err := signin.New(s.options()).SignIn(t.Context(), func(context.Context, string) error { t.Error("shown"); return nil })
	if !fault.Is(err, fault.Waiting) || !strings.Contains(fault.HintOf(err), "COMMODORE_API_TOKEN") {
		t.Errorf("error = %v", err)
	}
}
