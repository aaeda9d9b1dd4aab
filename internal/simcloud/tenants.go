package simcloud

import "fmt"

const oldCluster = "c-old-mill-1234"

func (p *projectSyn) createTenants() error {
	old, _ := p.syn.FindCluster(oldCluster)
	for id, path := range p.syn.ListTenants() {
		if err := p.git.Create(path); err != nil {
			return err
		}
		if _, commit, err := p.git.ReadFiles(path); err == nil && commit != "" {
			continue
		}
		files := buildTenantFiles()
		if id == old.Tenant {
			files[oldCluster+".yml"] = []byte(oldConfiguration)
		}
		if _, err := p.git.Commit(path, "Initial commit", files); err != nil {
			return fmt.Errorf("seed the configuration of %s: %w", id, err)
		}
	}
	return nil
}

func buildTenantFiles() map[string][]byte {
	return map[string][]byte{
		"README.md":      []byte("# Configuration of clusters\n\nOne file for each cluster; `common.yml` is for all of them.\n"),
		"common.yml":     []byte("# For all clusters of this tenant.\nparameters: {}\n"),
		"openshift4.yml": []byte("# For all clusters with OpenShift.\nparameters: {}\n"),
	}
}

const oldConfiguration = `classes:
- t-other-hill-0815.common
- .openshift4
applications: [exoscale-cloud-controller-manager, cilium]
parameters:
  openshift:
    baseDomain: c-old-mill-1234.example.org # the cluster's own
    infraID: c-old-mill-1234-x7k2p
    clusterID: 3f6f3f0e-7a0c-4c57-8b0a-5d3c1f0e9b21
`
