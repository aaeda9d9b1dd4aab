package syn

import "strings"

// gitBase is the URL prefix of the Git host's repositories.
const gitBase = "ssh://git@git.vshn.net/"

// parseRepositoryURL returns the path of a repository of the Git host.
func parseRepositoryURL(url string) (path string, own bool) {
	path, own = strings.CutPrefix(url, gitBase)
	return strings.TrimSuffix(path, ".git"), own
}

func (o *operator) createRepository(url string) error {
	path, own := parseRepositoryURL(url)
	if !own || o.config.Repositories == nil {
		return nil
	}
	return o.config.Repositories.Create(path)
}

func (o *operator) archiveRepository(url string) error {
	path, own := parseRepositoryURL(url)
	if !own || o.config.Repositories == nil {
		return nil
	}
	return o.config.Repositories.Archive(path)
}

// registerFile adds a cluster's file to the tenant's configuration, as the operator does. An existing file is kept.
func (o *operator) registerFile(c cluster) error {
	path, ok := o.findTenantRepository(c.Tenant)
	if !ok {
		return nil
	}
	if err := o.config.Repositories.Create(path); err != nil {
		return err
	}
	files, _, err := o.config.Repositories.ReadFiles(path)
	if err != nil {
		return err
	}
	name := c.ID + ".yml"
	if _, known := files[name]; known {
		return nil
	}
	return o.commitFile(path, name, []byte("classes:\n- "+c.Tenant+".common\n"))
}

func (o *operator) removeFile(c cluster) error {
	path, ok := o.findTenantRepository(c.Tenant)
	if !ok {
		return nil
	}
	return o.commitFile(path, c.ID+".yml", nil)
}

func (o *operator) commitFile(path, file string, content []byte) error {
	_, err := o.config.Repositories.Commit(path, "Update cluster files", map[string][]byte{file: content})
	return err
}

// findTenantRepository returns the repository of a tenant's configuration, if it is at the Git host.
func (o *operator) findTenantRepository(id string) (path string, ok bool) {
	t, known := o.tenants.Get(id)
	path, own := parseRepositoryURL(t.URL)
	return path, known && own && o.config.Repositories != nil
}
