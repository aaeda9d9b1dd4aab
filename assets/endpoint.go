package assets

import (
	"fmt"

	"github.com/goccy/go-yaml"
)

// Endpoint is one service that an installation or a cluster has to reach, an entry of the catalogue.
type Endpoint struct {
	ID       string   `yaml:"id"`       // e.g. "NET-RH-004"; stable, and never reused
	Title    string   `yaml:"title"`    // a few words
	Group    string   `yaml:"group"`    // vshn, redhat, third-party, exoscale or cluster
	URL      string   `yaml:"url"`      // what is probed; its scheme is the kind of the probe. {zone} and the like are filled in
	From     []string `yaml:"from"`     // who needs it: installer, nodes, load-balancers
	Phase    string   `yaml:"phase"`    // in which it is needed first
	Owner    string   `yaml:"owner"`    // whom to ask if it does not work: network, dns, exoscale, vshn, redhat, vendor or customer
	Severity string   `yaml:"severity"` // must, should or may
	When     []string `yaml:"when"`     // conditions that all have to hold, each "one" or "one|other"; none: always
	Needs    []string `yaml:"needs"`    // endpoints without which it cannot be probed
	Expect   []int    `yaml:"expect"`   // HTTP statuses that count as reached; none: whatever the probe takes
	Answer   *Answer  `yaml:"answer"`   // what only it answers, of services by plain HTTP and HTTPS
	Reason   string   `yaml:"reason"`   // what it is needed for, one sentence
	Hint     string   `yaml:"hint"`     // what to do if it cannot be reached, beyond the hint of what is wrong; may be empty
}

// Answer is what tells the answers of one service from those of anything else that answers in its place, such as a web
// filter. Type and one of the marks have to be there.
type Answer struct {
	Type    string   `yaml:"type" json:"type,omitempty"`       // json, xml, or data: anything but a web page, and without a mark a mere text; "": any
	Headers []string `yaml:"headers" json:"headers,omitempty"` // marks: fields that it sends, "Name" or "Name: beginning of the value"
	Text    string   `yaml:"text" json:"text,omitempty"`       // mark: a regular expression for the body, without the names of the host in it
}

// ReadEndpoints returns the catalogue, group by group.
func ReadEndpoints() ([]Endpoint, error) {
	var all []Endpoint
	for _, group := range []string{"exoscale", "redhat", "third-party", "vshn", "cluster"} {
		content, err := files.ReadFile("endpoints/" + group + ".yaml")
		if err != nil {
			return nil, fmt.Errorf("read the catalogue of endpoints: %w", err)
		}
		var endpoints []Endpoint
		if err := yaml.UnmarshalWithOptions(content, &endpoints, yaml.Strict()); err != nil {
			return nil, fmt.Errorf("read the catalogue of endpoints, group %s: %w", group, err)
		}
		all = append(all, endpoints...)
	}
	return all, nil
}
