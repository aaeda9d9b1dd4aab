package s3

import (
	"encoding/xml"
	"net/http"
	"time"
)

type wireVersions struct {
	XMLName      xml.Name      `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListVersionsResult"`
	Name         string        `xml:"Name"`
	Prefix       string        `xml:"Prefix"`
	Delimiter    string        `xml:"Delimiter,omitempty"`
	EncodingType string        `xml:"EncodingType,omitempty"`
	MaxKeys      int           `xml:"MaxKeys"`
	Truncated    bool          `xml:"IsTruncated"`
	KeyMarker    string        `xml:"KeyMarker"`
	IDMarker     string        `xml:"VersionIdMarker"`
	NextKey      string        `xml:"NextKeyMarker,omitempty"`
	NextID       string        `xml:"NextVersionIdMarker,omitempty"`
	Versions     []wireVersion // delete markers among them
	Prefixes     []wirePrefix  `xml:"CommonPrefixes"`
}

type wireVersion struct {
	XMLName  xml.Name  // "Version" or "DeleteMarker"
	Key      string    `xml:"Key"`
	Version  string    `xml:"VersionId"`
	Latest   bool      `xml:"IsLatest"`
	Modified time.Time `xml:"LastModified"`
	ETag     string    `xml:"ETag,omitempty"`
	Size     *int64    `xml:"Size,omitempty"`
	Class    string    `xml:"StorageClass,omitempty"`
	Owner    wireOwner `xml:"Owner"`
}

// listVersions lists all versions and delete markers of a bucket; an unversioned one has one version of each object.
func (l *lister) listVersions(w http.ResponseWriter, r *request) error {
	most, err := r.parseMaxKeys()
	if err != nil {
		return err
	}
	list := wireVersions{
		Name: r.bucket, Prefix: r.encodeKey(r.query("prefix")), Delimiter: r.encodeKey(r.query("delimiter")),
		EncodingType: r.query("encoding-type"), MaxKeys: most,
		KeyMarker: r.encodeKey(r.query("key-marker")), IDMarker: r.query("version-id-marker"),
	}
	l.fillVersions(&list, r)
	writeXML(w, http.StatusOK, list)
	return nil
}

func (l *lister) fillVersions(list *wireVersions, r *request) {
	last, previous := object{}, ""
	all := l.index.listAllVersions(r.bucket, r.query("prefix"))
	latest := findLatestVersions(all)
	for _, o := range skipTo(all, r.query("key-marker"), r.query("version-id-marker")) {
		common := findCommonPrefix(o.Key, r.query("prefix"), r.query("delimiter"))
		if common != "" && common == previous {
			last = o
			continue
		}
		if len(list.Versions)+len(list.Prefixes) == list.MaxKeys {
			list.Truncated, list.NextKey, list.NextID = true, r.encodeKey(last.Key), last.Version
			return
		}
		last, previous = o, common
		if common != "" {
			list.Prefixes = append(list.Prefixes, wirePrefix{r.encodeKey(common)})
			continue
		}
		list.Versions = append(list.Versions, viewVersion(o, r.encodeKey(o.Key), latest[o.Key] == o.Version))
	}
}

func viewVersion(o object, key string, latest bool) wireVersion {
	wire := wireVersion{Key: key, Version: o.Version, Latest: latest, Modified: o.Modified, Owner: newOwner()}
	if wire.XMLName.Local = "DeleteMarker"; !o.Marker {
		wire.XMLName.Local = "Version"
		wire.ETag, wire.Size, wire.Class = quote(o.ETag), &o.Size, "STANDARD"
	}
	return wire
}

// findLatestVersions returns the latest version of each key; in a list it comes first.
func findLatestVersions(list []object) map[string]string {
	latest := map[string]string{}
	for _, o := range list {
		if _, ok := latest[o.Key]; !ok {
			latest[o.Key] = o.Version
		}
	}
	return latest
}

func skipTo(list []object, key, version string) []object {
	for i, o := range list {
		if o.Key > key || version != "" && o.Key == key && o.Version == version {
			if o.Key == key {
				i++
			}
			return list[i:]
		}
	}
	return nil
}
