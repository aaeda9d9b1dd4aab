package environment

import (
	"os"
)

// LookupEnv returns a variable of the environment. It treats an empty variable as unset.
func LookupEnv(name string) (string, bool) {
	value := os.Getenv(name)
	return value, value != ""
}

// LookupRehearsalSecret has values for the variables of the example, so that a rehearsal needs no preparation.
func LookupRehearsalSecret(name string) (string, bool) {
	if value, ok := LookupEnv(name); ok {
		return value, true
	}
	return DefaultSecret(name)
}

// DefaultSecret returns the default secrets of a simulated zone.
func DefaultSecret(name string) (string, bool) {
	switch name {
	case "EXOSCALE_API_KEY":
		return "EXOsimulated00000000000000", true
	case "EXOSCALE_API_SECRET":
		return "the-secret-of-the-simulated-zone", true
	case "EXOSHIFT_PULL_SECRET":
		return `{"auths":{"cloud.openshift.com":{"auth":"c2ltdWxhdGVkOnNpbXVsYXRlZA=="},"quay.io":{"auth":"c2ltdWxhdGVkOnNpbXVsYXRlZA=="},"registry.redhat.io":{"auth":"c2ltdWxhdGVkOnNpbXVsYXRlZA=="},"registry.connect.redhat.com":{"auth":"c2ltdWxhdGVkOnNpbXVsYXRlZA=="}}}`, true
	}
	return "", false
}
