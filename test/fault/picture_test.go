package fault_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/exoscale/egoscale/v2/api"

	"exoshift/state"
)

// picture is everything that the zone holds, a line each, with names in the place of what is made up anew each time:
// IDs, addresses, keys and times. Two zones with the same picture hold the same.
func (l *lab) picture() []string {
	l.Helper()
	l.strike.begin(func() {})
	client := l.net.NewClient()
	defer client.CloseIdleConnections()
	g := gallery{lab: l, client: client, names: map[string]string{}}
	var objects []any
	for _, path := range []string{
		"security-group", "anti-affinity-group", "elastic-ip", "ssh-key", "template?visibility=private", "private-network", "instance-pool",
		"load-balancer", "block-storage", "block-storage-snapshot", "snapshot", "iam-role", "api-key",
	} {
		objects = append(objects, g.list(path)...)
	}
	for _, instance := range g.list("instance") {
		objects = append(objects, g.get("instance/"+text(instance, "id")))
	}
	for _, zone := range g.list("dns-domain") {
		objects = append(objects, zone)
		objects = append(objects, g.list("dns-domain/"+text(zone, "id")+"/record")...)
	}
	for _, ip := range g.list("elastic-ip") {
		objects = append(objects, g.get("reverse-dns/elastic-ip/"+text(ip, "id")))
	}
	p := l.start()
	defer p.end()
	buckets, err := p.storage.ListBuckets(l.Context())
	l.must(err)
	var lines []string
	for _, bucket := range buckets {
		lines = append(lines, "bucket "+bucket.Name+" "+bucket.Detail)
	}
	for _, object := range objects {
		lines = append(lines, g.line(object))
	}
	slices.Sort(lines)
	return lines
}

// gallery collects objects and learns their names.
type gallery struct {
	*lab
	client *http.Client
	names  map[string]string // by ID and by address

	authorities int // that machines were given
}

func (g *gallery) list(path string) []any {
	g.Helper()
	var answer map[string]any
	g.ask(path, &answer)
	for _, value := range answer {
		list, _ := value.([]any)
		for _, one := range list {
			g.learn(one)
		}
		return list
	}
	return nil
}

func (g *gallery) get(path string) any {
	g.Helper()
	var answer map[string]any
	g.ask(path, &answer)
	return answer
}

func (g *gallery) learn(object any) {
	if g.names == nil {
		return
	}
	name := text(object, "name") + text(object, "unicode-name")
	if name == "" {
		name = text(object, "description")
	}
	for _, key := range []string{"id", "public-ip", "ip", "key"} {
		if value := text(object, key); value != "" {
			g.names[value] = "<" + key + " of " + name + ">"
		}
	}
	g.learnAuthority(object)
}

// learnAuthority numbers the certificates that machines were given: those of one zone must be the same.
func (g *gallery) learnAuthority(object any) {
	fields, _ := object.(map[string]any)
	labels, _ := fields["labels"].(map[string]any)
	hash, _ := labels[state.LabelRootCA].(string)
	if _, known := g.names[hash]; hash == "" || known {
		return
	}
	g.authorities++
	g.names[hash] = fmt.Sprintf("<root CA %d>", g.authorities)
}

// line is an object without what differs between two runs that do the same.
func (g *gallery) line(object any) string {
	fields, _ := object.(map[string]any)
	for _, changing := range []string{"created-at", "updated-at", "mac-address", "user-data", "checksum", "url", "cidr"} {
		delete(fields, changing)
	}
	content, err := json.Marshal(fields)
	if err != nil {
		return err.Error()
	}
	line := string(content)
	for value, name := range g.names {
		line = strings.ReplaceAll(line, `"`+value+`"`, `"`+name+`"`)
	}
	return uuids.ReplaceAllString(sortedLists(line), "*")
}

// sortedLists brings the rules of a security group into an order: they come as they were made.
func sortedLists(line string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(line), &fields) != nil {
		return line
	}
	for _, value := range fields {
		list, ok := value.([]any)
		if !ok {
			continue
		}
		slices.SortFunc(list, func(a, b any) int { return strings.Compare(bare(a), bare(b)) })
	}
	content, err := json.Marshal(fields)
	if err != nil {
		return line
	}
	return string(content)
}

// bare is an element of a list without its ID.
func bare(element any) string {
	content, err := json.Marshal(element)
	if err != nil {
		return err.Error()
	}
	return uuids.ReplaceAllString(string(content), "*")
}

func text(object any, field string) string {
	fields, _ := object.(map[string]any)
	value, _ := fields[field].(string)
	return value
}

// ask reads from the API; what does not exist is empty.
func (g *gallery) ask(path string, into any) {
	g.Helper()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "https://api-"+region+".exoscale.com/v2/"+path, http.NoBody)
	g.must(err)
	signer, err := api.NewSecurityProvider(key, secret)
	g.must(err)
	g.must(signer.Intercept(request.Context(), request))
	answer, err := g.client.Do(request)
	g.must(err)
	defer func() { _ = answer.Body.Close() }()
	switch answer.StatusCode {
	case http.StatusOK:
		g.must(json.NewDecoder(answer.Body).Decode(into))
	case http.StatusNotFound:
	default:
		g.Fatalf("GET %s: %s", path, answer.Status)
	}
}
