package s3

import (
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// linkLife is the validity of a link that the zone's API returns; the live service's is not known.
const linkLife = 10 * time.Minute

// Link returns a presigned link to read an object.
func (s *Storage) Link(key, secret, bucket, object string) string {
	host := "sos-" + s.config.Zone + ".exo.io"
	date := time.Now().UTC().Format(timeFormat)
	sig := &signature{
		key: key, scope: date[:8] + "/" + s.config.Zone + "/s3/aws4_request", headers: []string{"host"}, date: date,
		payload: unsignedPayload,
	}
	sig.signing = deriveSigningKey(secret, sig.scope)
	query := url.Values{
		"X-Amz-Algorithm": {algorithm}, "X-Amz-Credential": {key + "/" + sig.scope}, "X-Amz-Date": {date},
		"X-Amz-Expires": {strconv.Itoa(int(linkLife.Seconds()))}, "X-Amz-SignedHeaders": {"host"},
	}
	link := &url.URL{Scheme: "https", Host: host, Path: "/" + bucket + "/" + object, RawQuery: query.Encode()}
	value := sig.sign(algorithm, hashHex(buildCanonicalRequest(&http.Request{Method: http.MethodGet, URL: link, Host: host}, sig)))
	query.Set("X-Amz-Signature", value)
	link.RawQuery = query.Encode()
	return link.String()
}
