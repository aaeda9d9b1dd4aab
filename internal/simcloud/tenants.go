package simcloud

import "fmt"

// seedTenants gives the tenants that are there from the beginning their configuration, which has no cluster that is
// compiled.
func (p *projectSyn) seedTenants() error {
	for id, path := range p.syn.Tenants() {
		if err := p.git.Create(path); err != nil {
			return err
		}
		if _, commit, err := p.git.Files(path); err == nil && commit != "" {
			continue
		}
		if _, err := p.git.Commit(path, "Initial commit", tenantFiles(id)); err != nil {
			return fmt.Errorf("seed the configuration of %s: %w", id, err)
		}
	}
	return nil
}

func tenantFiles(id string) map[string][]byte {
	return map[string][]byte{
		"README.md": []byte("# Configuration of " + id + "\n\nOne file for each cluster; `common.yml` is for all of them.\n"),
		"common.yml": []byte(`# For all clusters of this tenant.
parameters:
  openshift4_monitoring:
    alertManagerConfig: {}
`),
		"openshift4.yml": []byte(`# For all clusters with OpenShift.
classes: []
parameters:
  openshift4_console:
    config:
      customization:
        customProductName: Harbour
`),
	}
}
