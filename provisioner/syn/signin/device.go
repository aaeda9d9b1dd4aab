package signin

import (
	"context"
	"errors"
	"net/url"

	"golang.org/x/oauth2"

	"exoshift/internal/fault"
)

// errNoDevice: the device flow is not available. Some single sign-ons advertise it, and then refuse it to some clients.
var errNoDevice = errors.New("the single sign-on does not support the device flow")

func (p *provider) signInByDevice(ctx context.Context, show func(ctx context.Context, url string) error) (tokenSet, error) {
	const op = "sign in on another machine"
	if p.oauth.Endpoint.DeviceAuthURL == "" {
		return tokenSet{}, errNoDevice
	}
	asking, cancel := p.newClientContext(ctx)
	defer cancel()
	verifier := oauth2.GenerateVerifier()
	offered, err := p.oauth.DeviceAuth(asking, oauth2.S256ChallengeOption(verifier))
	if err != nil {
		if err = toFault(ctx, op, err, verifier); fault.Is(err, fault.Denied) {
			return tokenSet{}, errNoDevice
		}
		return tokenSet{}, err
	}
	page, err := buildDeviceURL(offered)
	if err != nil {
		return tokenSet{}, err
	}
	asking, stop := context.WithCancelCause(context.WithValue(ctx, oauth2.HTTPClient, p.http))
	defer stop(nil)
	_, end := startShow(asking, page, func(ctx context.Context, url string) error {
		err := show(ctx, url)
		if err != nil {
			stop(err)
		}
		return err
	})
	defer end()
	answer, err := p.oauth.DeviceAccessToken(asking, offered, oauth2.VerifierOption(verifier))
	switch gaveUp := context.Cause(asking); {
	case err == nil:
		return p.accept(ctx, answer, "")
	case gaveUp != nil && ctx.Err() == nil:
		return tokenSet{}, gaveUp
	case ctx.Err() == nil && fault.Is(err, fault.Timeout):
		return tokenSet{}, fault.Newf(fault.Timeout, op, "the sign-in timed out").WithHint("run again, and sign in before the code expires")
	}
	return tokenSet{}, toFault(ctx, op, err, offered.DeviceCode, verifier)
}

func buildDeviceURL(offered *oauth2.DeviceAuthResponse) (string, error) {
	text := offered.VerificationURIComplete
	if text == "" {
		text = offered.VerificationURI
	}
	page, err := url.Parse(text)
	if err != nil || page.Scheme != "https" || page.Host == "" || page.User != nil {
		return "", fault.Newf(fault.Denied, "sign in on another machine", "the sign-in page of the single sign-on is not an https URL").
			WithHint("contact the operator of the single sign-on")
	}
	if offered.VerificationURIComplete == "" {
		query := page.Query()
		query.Set("user_code", offered.UserCode)
		page.RawQuery = query.Encode()
	}
	return page.String(), nil
}
