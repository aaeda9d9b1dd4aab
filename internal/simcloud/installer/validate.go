package installer

import (
	"fmt"
	"regexp"

	"exoshift/internal/simcloud/mirror"
)

var subdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// What a name has to be, in the words of Kubernetes.
const (
	subdomainRule = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
		"with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
	longestName   = 54
	longestDomain = 253
)

// validate applies the rules of openshift-install for the platforms none and external. Which value each rule refuses
// is documented; the wording is only like the real one's.
func (c installConfig) validate(release mirror.Release, warn func(string)) error {
	var found refusals
	switch c.APIVersion {
	case "v1":
	case "":
		found.required("apiVersion", "install-config version required")
	default:
		found.invalid("apiVersion", c.APIVersion, `install-config version must be "v1"`)
	}
	c.checkNames(&found)
	c.checkPlatform(&found)
	c.checkPools(&found, release)
	c.checkAccess(&found)
	c.Networking.check(&found, *c.ControlPlane.Replicas+c.computeReplicas(), warn)
	if c.Proxy != nil {
		c.Proxy.check(&found, c.Networking)
	}
	return found.err()
}

func (c installConfig) checkNames(found *refusals) {
	name, domain := c.Metadata.Name, c.domain()
	switch {
	case name == "":
		found.required("metadata.name", "cluster name required")
	case !subdomain.MatchString(name):
		found.invalid("metadata.name", name, subdomainRule)
	case len(name) > longestName:
		found.invalid("metadata.name", name, "cluster name is too long, max length is %d characters", longestName)
	}
	switch {
	case c.BaseDomain == "":
		found.required("baseDomain", "baseDomain required")
	case !subdomain.MatchString(domain) && subdomain.MatchString(name):
		found.invalid("baseDomain", c.BaseDomain, subdomainRule)
	case len(domain) > longestDomain:
		found.invalid("baseDomain", domain, "must be no more than %d characters", longestDomain)
	}
}

func (c installConfig) checkPlatform(found *refusals) {
	none, external := c.Platform.None, c.Platform.External
	switch {
	case none == nil && external == nil:
		found.invalid("platform", "", "must specify one of the platforms (aws, azure, baremetal, external, gcp, ibmcloud, none, nutanix, openstack, powervs, vsphere)")
	case none != nil && external != nil:
		found.invalid("platform", "none", `must only specify a single type of platform; cannot use both "none" and "external"`)
	}
	if external != nil {
		found.oneOf("platform.external.cloudControllerManager", external.CloudControllerManager, "", "External")
	}
	if c.Publish == "Internal" {
		found.invalid("publish", c.Publish, "Internal publish strategy is not supported on %q platform", c.platform())
	} else {
		found.oneOf("publish", c.Publish, "External", "Internal")
	}
	if c.CredentialsMode != "" {
		found.invalid("credentialsMode", c.CredentialsMode, "cannot be set when using the %q platform", c.platform())
	}
}

func (c installConfig) checkPools(found *refusals, release mirror.Release) {
	switch masters := *c.ControlPlane.Replicas; {
	case masters < 1:
		found.invalid("controlPlane.replicas", masters, "number of control plane replicas must be positive")
	case masters == 2:
		found.invalid("controlPlane.replicas", masters, "two control plane replicas need fencing credentials")
	case masters == 1 && c.Platform.External != nil && c.BootstrapInPlace == nil:
		found.invalid("controlPlane.replicas", masters, "one control plane replica on this platform needs bootstrapInPlace")
	}
	c.ControlPlane.check(found, "controlPlane", "master", release)
	seen := map[string]bool{}
	for i, pool := range c.Compute {
		field := fmt.Sprintf("compute[%d]", i)
		pool.check(found, field, "worker", release)
		if pool.Replicas != nil && *pool.Replicas < 0 {
			found.invalid(field+".replicas", *pool.Replicas, "number of machine replicas must not be negative")
		}
		if seen[pool.Name] {
			*found = append(*found, fmt.Sprintf("%s.name: Duplicate value: %q", field, pool.Name))
		}
		seen[pool.Name] = true
	}
}

func (p machinePool) check(found *refusals, field, name string, release mirror.Release) {
	found.oneOf(field+".name", p.Name, name)
	found.oneOf(field+".hyperthreading", orDefault(p.Hyperthreading, "Enabled"), "Disabled", "Enabled")
	if p.Architecture != "" && p.Architecture != release.Architecture && release.Architecture != "multi" {
		found.invalid(field+".architecture", p.Architecture, "the release is for %s", release.Architecture)
	}
}
