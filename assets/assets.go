// Package assets holds the data that is built into the program: the example of an answers file, the templates of what the
// load-balancer machines get as user-data, the manifests of the cloud controller, the policies of restricted API keys,
// the prices of one date, and the catalogue of endpoints. It holds data only, no decisions.
package assets

import "embed"

//go:embed haproxy.cfg cloud-config.yaml errand.yaml questions.sh example/answers.yaml manifests policies prices.yaml endpoints
var files embed.FS

// ReadExample returns the answers file of a default cluster that the program ships: YAML, commented for a reader.
func ReadExample() ([]byte, error) { return files.ReadFile("example/answers.yaml") }
