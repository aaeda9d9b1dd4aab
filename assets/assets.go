// Package assets holds the data that is built into the program: the example of an answers file, the templates of what
// the load-balancer machines are given, the manifests of the cloud controller, the policies of restricted API keys, and
// the prices of one date. Data only; it decides nothing.
package assets

import "embed"

//go:embed haproxy.cfg cloud-config.yaml example/answers.yaml manifests policies prices.yaml endpoints.yaml
var files embed.FS

// Example returns the answers file of a default cluster that the program ships: YAML, commented for a reader.
func Example() ([]byte, error) { return files.ReadFile("example/answers.yaml") }
