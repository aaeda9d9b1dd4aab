package har

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const (
	redacted = "(redacted)"
	masked   = "(masked)"
)

// redactor takes out of exchanges what must not be told.
type redactor struct {
	hidden []string
	own    string // in everything that the run has made
}

// signature matches what makes a link or a request somebody's: in links, also in those within JSON and XML.
var signature = regexp.MustCompile(`(?i)((?:X-Amz-(?:Signature|Credential|Security-Token)|AWSAccessKeyId|Signature|credential)=)[^&"'\\\s<,]+`)

func (r redactor) redact(e *Entry) {
	for _, headers := range [][]Pair{e.Request.Headers, e.Response.Headers, e.Request.QueryString} {
		for i := range headers {
			if isCredential(headers[i].Name) {
				headers[i].Value = redacted
			}
			headers[i].Value = r.clean(headers[i].Value)
		}
	}
	e.Request.URL, e.Response.RedirectURL = r.clean(e.Request.URL), r.clean(e.Response.RedirectURL)
	if e.Request.PostData != nil {
		e.Request.PostData.Text = r.clean(redactJSON(e.Request.PostData.Text, nil))
	}
	text := redactJSON(e.Response.Content.Text, r.selectMask(e.Request))
	e.Response.Content.Text = r.clean(r.maskXML(text))
}

func isCredential(name string) bool {
	return slices.Contains([]string{
		"authorization", "proxy-authorization", "cookie", "set-cookie", "x-amz-security-token", "x-amz-signature", "x-amz-credential",
	}, strings.ToLower(name))
}

func (r redactor) clean(text string) string {
	for _, secret := range r.hidden {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, redacted)
		}
	}
	return signature.ReplaceAllString(text, "${1}"+redacted)
}

// collectSecrets returns the API keys that answers told, and their secrets.
func collectSecrets(entries []Entry) (secrets []string) {
	for _, e := range entries {
		if !strings.Contains(e.Request.URL, "/api-key") {
			continue
		}
		var value any
		if json.Unmarshal([]byte(e.Response.Content.Text), &value) != nil {
			continue
		}
		walk("", value, func(key string, text string) string {
			if key == "secret" || key == "key" {
				secrets = append(secrets, text)
			}
			return text
		})
	}
	return secrets
}

// secretKeys are the fields of the API whose values are secrets or hold some.
func isSecretField(key string) bool {
	return slices.Contains([]string{"secret", "password", "user-data"}, key)
}

// redactJSON returns a text that is no JSON as it is. mask says of which objects all texts are masked; nil: of none.
func redactJSON(text string, mask func(object any) bool) string {
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return text
	}
	value = walk("", value, func(key, text string) string {
		if isSecretField(key) {
			return fmt.Sprintf("%s, %d characters", redacted, len(text))
		}
		return text
	})
	if mask != nil {
		value = maskForeign(value, mask)
	}
	content, err := json.Marshal(value)
	if err != nil {
		return redacted
	}
	return string(content)
}

// walk replaces every text of a JSON value.
func walk(key string, value any, replace func(key, text string) string) any {
	switch v := value.(type) {
	case string:
		return replace(key, v)
	case []any:
		for i := range v {
			v[i] = walk(key, v[i], replace)
		}
	case map[string]any:
		for name, member := range v {
			v[name] = walk(name, member, replace)
		}
	}
	return value
}

// maskForeign masks an object, or of a list the elements that are somebody else's.
func maskForeign(value any, mask func(any) bool) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = maskForeign(v[i], mask)
		}
		return v
	case map[string]any:
		for _, member := range v {
			if list, is := member.([]any); is && len(v) == 1 {
				maskForeign(list, mask)
				return v
			}
		}
		if mask(v) {
			walk("", v, maskText)
		}
	}
	return value
}

// maskText keeps words of the API.
func maskText(key, text string) string {
	words := []string{
		"state", "visibility", "protocol", "flow-direction", "addressfamily", "type", "boot-mode", "mode", "family", "size", "resource",
		"public-ip-assignment", "command", "reason", "handler", "default-service-strategy", "action",
	}
	if slices.Contains(words, key) {
		return text
	}
	return masked
}

// catalogue are the paths of what belongs to nobody in particular, or to the run whatever is in it.
var catalogue = regexp.MustCompile(`^/v2/(zone|instance-type|quota|deploy-target|operation|dns-domain/[^/]+/record)(/|$)`)

// selectMask returns which objects of an answer are masked. Events name who did something, also those of the run.
func (r redactor) selectMask(request Request) func(any) bool {
	address, err := url.Parse(request.URL)
	switch {
	case err != nil:
		return func(any) bool { return true }
	case catalogue.MatchString(address.Path), address.Query().Get("visibility") == "public":
		return nil
	case strings.HasPrefix(address.Path, "/v2/event"):
		return func(any) bool { return true }
	}
	return func(object any) bool {
		content, err := json.Marshal(object)
		answer, is := object.(map[string]any)
		if is && (answer["message"] != nil || answer["error"] != nil || answer["state"] != nil && answer["reference"] != nil) {
			return false // a refusal, or an operation
		}
		return err != nil || r.own == "" || !strings.Contains(string(content), r.own)
	}
}

var (
	bucketElement = regexp.MustCompile(`<Bucket>.*?</Bucket>`)
	nameElement   = regexp.MustCompile(`<Name>[^<]*</Name>`)
	ownerElement  = regexp.MustCompile(`<(ID|DisplayName)>[^<]*</(ID|DisplayName)>`)
)

// maskXML masks the names of buckets that are somebody else's, and who the owner is.
func (r redactor) maskXML(text string) string {
	if !strings.HasPrefix(strings.TrimSpace(text), "<") {
		return text
	}
	text = bucketElement.ReplaceAllStringFunc(text, func(bucket string) string {
		if r.own != "" && strings.Contains(bucket, r.own) {
			return bucket
		}
		return nameElement.ReplaceAllString(bucket, "<Name>"+masked+"</Name>")
	})
	return ownerElement.ReplaceAllString(text, "<$1>"+masked+"</$1>")
}
