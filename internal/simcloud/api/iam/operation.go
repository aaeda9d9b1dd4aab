package api

import (
	_ "embed"
	"regexp"
	"strings"
)

// operationTable holds the operations of the official description, each as method, path and name.
//
//go:embed operations.txt
var operationTable string

// buildOperationNames returns the operations' names by method and path without names of parameters.
func buildOperationNames() map[string]string {
	names := map[string]string{}
	for line := range strings.Lines(operationTable) {
		if fields := strings.Fields(line); len(fields) == 3 {
			names[fields[0]+" "+fields[1]] = fields[2]
		}
	}
	return names
}

// lookupOperation returns an operation's service and name. That load balancers, volumes and reverse names belong to compute, and
// listing buckets to sos, is in the policies that people use; that DNS and IAM have services of their own is our reading.
func lookupOperation(names map[string]string, pattern string) (service, operation string) {
	plain := regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(pattern, "{}")
	operation, ok := names[plain]
	if !ok { // all fields share one operation: "DELETE /elastic-ip/{id}/description"
		operation = names[plain[:strings.LastIndexByte(plain, '/')]+"/{}"]
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
