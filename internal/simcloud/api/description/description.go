// Package description validates the simulated API against the official description of the real one: an http.Handler in front of
// it reports every response, and every accepted request, that violates the description. It is for tests; no program links it.
package description

import (
	_ "embed"
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// document is the part of the official OpenAPI description, version 2.0.0 of July 2026, that is about compute, network,
// templates, DNS, IAM, block storage and object storage.
//
//go:embed openapi.json
var document []byte

// Description is the parsed official description.
type Description struct {
	document *openapi3.T
	router   routers.Router
	options  *openapi3filter.Options
}

// Load parses the description.
func Load() (*Description, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("read the official description: %w", err)
	}
	doc.Servers = openapi3.Servers{{URL: "/v2"}}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, fmt.Errorf("read the paths of the official description: %w", err)
	}
	return &Description{document: doc, router: router, options: &openapi3filter.Options{
		IncludeResponseStatus: true, MultiError: true, SkipSettingDefaults: true,
		// Clients send what is marked as read-only, such as the ID in {"instance":{"id":…}}, and the live service was recorded
		// returning what is marked as write-only, such as a security group's rules.
		ExcludeReadOnlyValidations: true, ExcludeWriteOnlyValidations: true,
		SchemaValidationOptions: listFormats(),
	}}, nil
}

func listFormats() []openapi3.SchemaValidationOption {
	return []openapi3.SchemaValidationOption{
		openapi3.WithStringFormatValidator("uuid", openapi3.NewRegexpFormatValidator(openapi3.FormatOfStringForUUIDOfRFC9562)),
		openapi3.WithStringFormatValidator("ipv4", openapi3.NewIPValidator(true)),
		openapi3.WithStringFormatValidator("ipv6", openapi3.NewIPValidator(false)),
	}
}

// ListOperations returns the names of the operations, by method and path: "GET /instance/{id}".
func (d *Description) ListOperations() map[string]string {
	names := map[string]string{}
	for path, item := range d.document.Paths.Map() {
		for method, operation := range item.Operations() {
			names[method+" "+path] = operation.OperationID
		}
	}
	return names
}
