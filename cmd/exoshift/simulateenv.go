package main

import (
	"bytes"
	"fmt"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/app/environment"
	"exoshift/internal/simcloud"
)

type variable struct {
	name, value string
	secret      bool // provided by the operator, and written to a private file only
}

// listClientVariables returns the variables for exoshift and third-party programs. The S3 variables are those of the AWS
// command line and SDKs, the last two authorities those of curl and of Python's requests.
func listClientVariables(proxy, authority, zone string, person simcloud.Credentials) []variable {
	list := []variable{
		{name: "HTTPS_PROXY", value: proxy}, {name: "https_proxy", value: proxy},
		{name: "HTTP_PROXY", value: proxy}, {name: "http_proxy", value: proxy},
		{name: "NO_PROXY"}, {name: "no_proxy"},
		{name: "SSL_CERT_FILE", value: authority}, {name: "AWS_CA_BUNDLE", value: authority},
		{name: "CURL_CA_BUNDLE", value: authority}, {name: "REQUESTS_CA_BUNDLE", value: authority},
		{name: "EXOSCALE_ZONE", value: zone},
		{name: "AWS_DEFAULT_REGION", value: zone}, {name: "AWS_REGION", value: zone},
		{name: "AWS_ENDPOINT_URL_S3", value: "https://sos-" + zone + ".exo.io"},
		{name: "COMMODORE_API_TOKEN", value: person.APIToken}, {name: "VAULT_TOKEN", value: person.VaultToken},
		{name: "GITLAB_TOKEN", value: person.GitToken},
	}
	for _, secret := range []struct{ name, alias string }{
		{"EXOSCALE_API_KEY", "AWS_ACCESS_KEY_ID"}, {"EXOSCALE_API_SECRET", "AWS_SECRET_ACCESS_KEY"}, {"EXOSHIFT_PULL_SECRET", ""},
	} {
		value, _ := environment.LookupRehearsalSecret(secret.name)
		shipped, _ := environment.DefaultSecret(secret.name)
		own := value != shipped
		list = append(list, variable{secret.name, value, own})
		if secret.alias != "" {
			list = append(list, variable{secret.alias, value, own})
		}
	}
	return list
}

func withoutSecrets(variables []variable) []variable {
	var public []variable
	for _, v := range variables {
		if !v.secret {
			public = append(public, v)
		}
	}
	return public
}

func formatExports(variables []variable) []byte {
	var lines bytes.Buffer
	for _, v := range variables {
		fmt.Fprintf(&lines, "export %s=%s\n", v.name, shellescape.Quote(v.value))
	}
	return lines.Bytes()
}
