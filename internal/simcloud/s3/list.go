package s3

import (
	"encoding/xml"
	"net/http"
	"strings"
	"time"
)

const maxKeys = 1000

// wireList is the response of both versions of the listing.
type wireList struct {
	XMLName      xml.Name     `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListBucketResult"`
	Name         string       `xml:"Name"`
	Prefix       string       `xml:"Prefix"`
	Delimiter    string       `xml:"Delimiter,omitempty"`
	EncodingType string       `xml:"EncodingType,omitempty"`
	MaxKeys      int          `xml:"MaxKeys"`
	Truncated    bool         `xml:"IsTruncated"`
	Contents     []wireObject `xml:"Contents"`
	Prefixes     []wirePrefix `xml:"CommonPrefixes"`

	Marker     string `xml:"Marker,omitempty"` // version 1
	NextMarker string `xml:"NextMarker,omitempty"`

	KeyCount   *int   `xml:"KeyCount,omitempty"` // version 2
	StartAfter string `xml:"StartAfter,omitempty"`
	Token      string `xml:"ContinuationToken,omitempty"`
	NextToken  string `xml:"NextContinuationToken,omitempty"`
}

type wireObject struct {
	Key      string    `xml:"Key"`
	Modified time.Time `xml:"LastModified"`
	ETag     string    `xml:"ETag"`
	Size     int64     `xml:"Size"`
	Class    string    `xml:"StorageClass"`
	Owner    wireOwner `xml:"Owner"`
}

type wirePrefix struct {
	Prefix string `xml:"Prefix"`
}

// lister lists the objects and the versions of a bucket.
type lister struct{ index *index }

func (l *lister) listObjects(w http.ResponseWriter, r *request) error {
	second := r.query("list-type") == "2"
	most, err := r.parseMaxKeys()
	if err != nil {
		return err
	}
	list := wireList{Name: r.bucket, EncodingType: r.query("encoding-type"), MaxKeys: most}
	after := r.query("marker")
	if second {
		after = max(r.query("start-after"), r.query("continuation-token"))
	}
	last := l.fillObjects(&list, r, after)
	count := len(list.Contents) + len(list.Prefixes)
	list.Prefix, list.Delimiter = r.encodeKey(r.query("prefix")), r.encodeKey(r.query("delimiter"))
	switch {
	case second:
		list.KeyCount, list.Token, list.StartAfter = &count, r.query("continuation-token"), r.encodeKey(r.query("start-after"))
		if list.Truncated {
			list.NextToken = last
		}
	default:
		list.Marker = r.encodeKey(after)
		if list.Truncated {
			list.NextMarker = r.encodeKey(last)
		}
	}
	writeXML(w, http.StatusOK, list)
	return nil
}

// fillObjects adds the keys after the given one, up to the limit, and returns the last one it read.
func (l *lister) fillObjects(list *wireList, r *request, after string) (last string) {
	prefix, delimiter := r.query("prefix"), r.query("delimiter")
	for _, o := range l.index.objects.List() { // in the order of "bucket/key"
		if o.Bucket != r.bucket || !strings.HasPrefix(o.Key, prefix) || o.Key <= after {
			continue
		}
		common := findCommonPrefix(o.Key, prefix, delimiter)
		if common != "" && (common == last || strings.HasPrefix(after, common)) {
			continue
		}
		if len(list.Contents)+len(list.Prefixes) == list.MaxKeys {
			list.Truncated = true
			return last
		}
		if common != "" {
			list.Prefixes = append(list.Prefixes, wirePrefix{r.encodeKey(common)})
			last = common
			continue
		}
		list.Contents = append(list.Contents, wireObject{
			Key: r.encodeKey(o.Key), Modified: o.Modified, ETag: quote(o.ETag), Size: o.Size, Class: "STANDARD", Owner: newOwner(),
		})
		last = o.Key
	}
	return last
}

// findCommonPrefix returns the part of a key up to the delimiter after the prefix, or "".
func findCommonPrefix(key, prefix, delimiter string) string {
	if delimiter == "" {
		return ""
	}
	before, _, found := strings.Cut(key[len(prefix):], delimiter)
	if !found {
		return ""
	}
	return prefix + before + delimiter
}
