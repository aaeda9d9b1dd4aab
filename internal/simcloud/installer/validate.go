package installer

import (
	"fmt"
	"regexp"
	"strings"

	"exoshift/internal/simcloud/mirror"
)

var subdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// Messages about names, in the words of Kubernetes.
const (
	subdomainRule = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
		"with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
	maxNameLength   = 54
	maxDomainLength = 253
)

// validate applies the rules of openshift-install for the platforms none and external. Which value each rule refuses is
// documented; the wording is only similar to the real one's.
func (c installConfig) validate(release mirror.Release, fips bool, warn func(string)) error {
	var found validationErrors
	switch c.APIVersion {
	case "v1":
	case "":
		found.addRequired("apiVersion", "install-config version required")
	default:
		found.addInvalid("apiVersion", c.APIVersion, `install-config version must be "v1"`)
	}
	c.checkNames(&found)
	c.checkPlatform(&found)
	c.checkPools(&found, release)
	checkAccess(c, &found)
	c.checkFIPS(&found, fips)
	c.Networking.check(&found, *c.ControlPlane.Replicas+c.computeReplicas(), warn)
	if c.Proxy != nil {
		c.Proxy.check(&found, c.Networking)
	}
	return found.err()
}

var fipsKey = regexp.MustCompile(`^(ecdsa-sha2-nistp\d{3}|ssh-rsa) `)

// checkFIPS has the messages of the real program. The host's own mode, which that asks for, too, is not simulated.
func (c installConfig) checkFIPS(found *validationErrors, build bool) {
	if !c.FIPS {
		return
	}
	if !build {
		*found = append(*found, "fips: Forbidden: target cluster is in FIPS mode, use the FIPS-capable installer binary for RHEL 9 on a host with FIPS enabled.")
	}
	for line := range strings.Lines(c.SSHKey) {
		if kind, _, _ := strings.Cut(line, " "); !fipsKey.MatchString(line) && strings.TrimSpace(line) != "" {
			found.addInvalid("sshKey", c.SSHKey, "SSH key type %s unavailable when FIPS is enabled. Please use rsa or ecdsa.", kind)
		}
	}
}

func (c installConfig) checkNames(found *validationErrors) {
	name, domain := c.Metadata.Name, c.clusterDomain()
	switch {
	case name == "":
		found.addRequired("metadata.name", "cluster name required")
	case !subdomain.MatchString(name):
		found.addInvalid("metadata.name", name, subdomainRule)
	case len(name) > maxNameLength:
		found.addInvalid("metadata.name", name, "cluster name is too long, max length is %d characters", maxNameLength)
	}
	switch {
	case c.BaseDomain == "":
		found.addRequired("baseDomain", "baseDomain required")
	case !subdomain.MatchString(domain) && subdomain.MatchString(name):
		found.addInvalid("baseDomain", c.BaseDomain, subdomainRule)
	case len(domain) > maxDomainLength:
		found.addInvalid("baseDomain", domain, "must be no more than %d characters", maxDomainLength)
	}
}

func (c installConfig) checkPlatform(found *validationErrors) {
	none, external := c.Platform.None, c.Platform.External
	switch {
	case none == nil && external == nil:
		found.addInvalid("platform", "", "must specify one of the platforms (aws, azure, baremetal, external, gcp, ibmcloud, none, nutanix, openstack, powervs, vsphere)")
	case none != nil && external != nil:
		found.addInvalid("platform", "none", `must only specify a single type of platform; cannot use both "none" and "external"`)
	}
	if external != nil {
		found.checkOneOf("platform.external.cloudControllerManager", external.CloudControllerManager, "", "External")
	}
	if c.Publish == "Internal" {
		found.addInvalid("publish", c.Publish, "Internal publish strategy is not supported on %q platform", c.platformName())
	} else {
		found.checkOneOf("publish", c.Publish, "External", "Internal")
	}
	if c.CredentialsMode != "" {
		found.addInvalid("credentialsMode", c.CredentialsMode, "cannot be set when using the %q platform", c.platformName())
	}
}

func (c installConfig) checkPools(found *validationErrors, release mirror.Release) {
	switch masters := *c.ControlPlane.Replicas; {
	case masters < 1:
		found.addInvalid("controlPlane.replicas", masters, "number of control plane replicas must be positive")
	case masters == 2:
		found.addInvalid("controlPlane.replicas", masters, "two control plane replicas need fencing credentials")
	case masters == 1 && c.Platform.External != nil && c.BootstrapInPlace == nil:
		found.addInvalid("controlPlane.replicas", masters, "one control plane replica on this platform needs bootstrapInPlace")
	}
	c.ControlPlane.check(found, "controlPlane", "master", release)
	seen := map[string]bool{}
	for i, pool := range c.Compute {
		field := fmt.Sprintf("compute[%d]", i)
		pool.check(found, field, "worker", release)
		if pool.Replicas != nil && *pool.Replicas < 0 {
			found.addInvalid(field+".replicas", *pool.Replicas, "number of machine replicas must not be negative")
		}
		if seen[pool.Name] {
			*found = append(*found, fmt.Sprintf("%s.name: Duplicate value: %q", field, pool.Name))
		}
		seen[pool.Name] = true
	}
}

func (p machinePool) check(found *validationErrors, field, name string, release mirror.Release) {
	found.checkOneOf(field+".name", p.Name, name)
	found.checkOneOf(field+".hyperthreading", defaultTo(p.Hyperthreading, "Enabled"), "Disabled", "Enabled")
	if p.Architecture != "" && p.Architecture != release.Architecture && release.Architecture != "multi" {
		found.addInvalid(field+".architecture", p.Architecture, "the release is for %s", release.Architecture)
	}
}
