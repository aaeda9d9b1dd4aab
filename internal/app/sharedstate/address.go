// Package sharedstate opens the shared state of a team for the verbs: its address, the credentials and the identity that access it,
// and the private copy of one cluster that a run works on.
package sharedstate

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"exoshift/internal/app/exit"
	"exoshift/provisioner/objects/sharedstore"
)

// Variable names the address of shared state, unless a flag does.
const Variable = "EXOSHIFT_STATE"

// Address is where state is kept.
type Address struct {
	Text      string
	Folders   string               // a folder with the folders of clusters, which is not shared state; or ""
	Directory string               // of shared state on a file system; or ""
	Bucket    sharedstore.Location // without credentials
}

// ParseAddress reads the value of --state: a folder that holds the folders of clusters, file:///DIRECTORY, or
// s3://BUCKET/PREFIX?endpoint=https://HOST.
func ParseAddress(text string) (Address, error) {
	at := Address{Text: text}
	parsed, err := url.Parse(text)
	if err == nil {
		switch parsed.Scheme {
		case "":
			at.Folders, err = filepath.Abs(text)
		case "file":
			at.Directory = parsed.Path
			if parsed.Host != "" || !filepath.IsAbs(parsed.Path) || parsed.RawQuery != "" {
				err = fmt.Errorf("must be file:///DIRECTORY")
			}
		case "s3":
			at.Bucket, err = parseBucket(parsed)
		default:
			err = fmt.Errorf("must be a folder, file:///DIRECTORY, or s3://BUCKET/PREFIX?endpoint=https://HOST, not %s://", parsed.Scheme)
		}
	}
	if err != nil {
		return at, exit.WithCode(exit.Usage, fmt.Errorf("--state %s: %w", text, err))
	}
	return at, nil
}

// IsShared reports whether it is the address of shared state, not of folders on this machine.
func (a Address) IsShared() bool { return a.Folders == "" }

func parseBucket(parsed *url.URL) (sharedstore.Location, error) {
	query := parsed.Query()
	at := sharedstore.Location{Bucket: parsed.Host, Prefix: strings.Trim(parsed.Path, "/"), Region: query.Get("region")}
	if at.Prefix != "" {
		at.Prefix += "/"
	}
	endpoint, err := url.Parse(query.Get("endpoint"))
	if err != nil || endpoint.Scheme != "https" || endpoint.Host == "" || strings.Trim(endpoint.Path, "/") != "" {
		return at, fmt.Errorf("the endpoint of the object storage is missing or not an https URL: add ?endpoint=https://sos-ch-gva-2.exo.io")
	}
	if at.Bucket == "" || parsed.User != nil {
		return at, fmt.Errorf("must be s3://BUCKET/PREFIX?endpoint=https://HOST, without credentials")
	}
	query.Del("endpoint")
	query.Del("region")
	for name := range query {
		return at, fmt.Errorf("unknown parameter %q; only endpoint and region are supported", name)
	}
	at.Endpoint = endpoint.Host
	if at.Region == "" {
		at.Region = findRegion(endpoint.Hostname())
	}
	return at, nil
}

// Zone is the zone of Exoscale whose object storage it is.
func (a Address) Zone() (zone string, isExoscale bool) { return findZone(a.Bucket.Endpoint) }

// findRegion is the region of signatures.
func findRegion(host string) string {
	if zone, named := findZone(host); named {
		return zone
	}
	return "us-east-1" // of storage without regions
}

// findZone is the zone in the name of Exoscale's object storage, e.g. of sos-ch-gva-2.exo.io.
func findZone(host string) (zone string, named bool) {
	name, isExoscale := strings.CutSuffix(host, ".exo.io")
	zone, isStorage := strings.CutPrefix(name, "sos-")
	return zone, isExoscale && isStorage
}
