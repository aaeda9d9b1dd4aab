package wizard

import (
	"net/url"
	"regexp"
	"strings"

	"exoshift/state"
)

// httpsURL never repeats the value: it may hold a password.
func httpsURL(value string) []Fault {
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Scheme != "https" || u.Hostname() == "":
		return wrong("the value is no https URL", "https://host/…", "")
	case u.User != nil:
		return wrong("the URL holds credentials, which would be kept in the open", "https://host/…", "")
	}
	return printable(value)
}

func factRule(item string) []Fault {
	key, value, _ := strings.Cut(item, "=")
	if !regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$`).MatchString(key) {
		return wrong(quote(key)+" is no name of a fact", "letters, digits, '_', '-' and '.'", "")
	}
	return printable(value)
}

// synRules hold across the fields of Project Syn.
func synRules(spec state.Spec) []Fault {
	if spec.Syn.LieutenantURL != "" && spec.Syn.Tenant == "" {
		return of("syn.tenant", wrong("is missing", "the ID of the tenant, as syn.lieutenantURL is given", ""))
	}
	return nil
}
