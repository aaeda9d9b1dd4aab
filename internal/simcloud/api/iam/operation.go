package iam

import (
	_ "embed"
	"regexp"
	"strings"

	"exoshift/internal/simcloud/api/rest"
)

// operationTable holds the operations of the official description, each as method, path and name.
//
//go:embed operations.txt
var operationTable string

// Operations are the names of the operations in policies, by method and path without names of parameters.
type Operations map[string]string

// LoadOperations returns the operations of the official description.
func LoadOperations() Operations {
	names := Operations{}
	for line := range strings.Lines(operationTable) {
		if fields := strings.Fields(line); len(fields) == 3 {
			names[fields[0]+" "+fields[1]] = fields[2]
		}
	}
	return names
}

var parameter = regexp.MustCompile(`\{([^}]*)\}`)

// Lookup returns the service and the name of a route's operation. That load balancers, volumes and reverse names belong to compute, and
// listing buckets to sos, is in the policies that people use; that DNS and IAM have services of their own is our reading.
func (o Operations) Lookup(pattern string) (service, operation string) {
	plain := parameter.ReplaceAllString(pattern, "{}")
	operation, ok := o[plain]
	if !ok { // all fields share one operation: "DELETE /elastic-ip/{id}/description"
		operation = o[plain[:strings.LastIndexByte(plain, '/')]+"/{}"]
	}
	_, path, _ := strings.Cut(pattern, " /")
	switch noun, _, _ := strings.Cut(path, "/"); {
	case noun == "dns-domain":
		return "dns", operation
	case noun == "api-key" || strings.HasPrefix(noun, "iam-"):
		return "iam", operation
	case strings.HasPrefix(noun, "sos"):
		return "sos", operation
	}
	return "compute", operation
}

// PathParams returns the parameters of a route, by name.
func PathParams(req *rest.Request, pattern string) map[string]string {
	params := map[string]string{}
	for _, found := range parameter.FindAllStringSubmatch(pattern, -1) {
		params[found[1]] = req.PathValue(found[1])
	}
	return params
}
