package network

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/miekg/dns"
)

// message is the media type of RFC 8484.
const message = "application/dns-message"

var answerLimits = Limits{Bytes: dns.MaxMsgSize, Time: 2 * responseTimeout} //nolint:gochecknoglobals // a table that nothing changes

// PublicResolver returns the HTTPS resolver for machines that reach the internet only through a proxy.
func PublicResolver() *url.URL {
	return &url.URL{Scheme: "https", Host: "cloudflare-dns.com", Path: "/dns-query"}
}

// NewHTTPSResolver queries a resolver over HTTPS (RFC 8484) with a client.
func NewHTTPSResolver(client *http.Client, resolver *url.URL) Resolver {
	limited := &http.Client{Transport: answerLimits.Wrap(client.Transport), CheckRedirect: KeepRedirect}
	return func(ctx context.Context, question *dns.Msg) (*dns.Msg, error) {
		answer, err := postQuestion(ctx, limited, resolver, question)
		if err != nil {
			return nil, fmt.Errorf("ask %s: %w", resolver.Host, err)
		}
		return answer, nil
	}
}

func postQuestion(ctx context.Context, client *http.Client, resolver *url.URL, question *dns.Msg) (*dns.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*responseTimeout)
	defer cancel()
	packed, err := question.Pack()
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, resolver.String(), bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", message)
	request.Header.Set("Accept", message)
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return unpack(response, question.Id)
}

func unpack(response *http.Response, id uint16) (*dns.Msg, error) {
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answers %d %s", response.StatusCode, http.StatusText(response.StatusCode))
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	answer := new(dns.Msg)
	if err := answer.Unpack(body); err != nil {
		return nil, err
	}
	if answer.Id != id {
		return nil, errors.New("its response does not match the query")
	}
	return answer, nil
}
