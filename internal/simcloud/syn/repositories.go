package syn

import "strings"

// gitBase is the URL prefix of the Git host's repositories.
const gitBase = "ssh://git@git.vshn.net/"

// parseRepositoryURL returns the path of a repository of the Git host.
func parseRepositoryURL(url string) (path string, own bool) {
	path, own = strings.CutPrefix(url, gitBase)
	return strings.TrimSuffix(path, ".git"), own
}

func (s *Syn) createRepository(url string) error {
	path, own := parseRepositoryURL(url)
	if !own || s.config.Repositories == nil {
		return nil
	}
	return s.config.Repositories.Create(path)
}

func (s *Syn) archiveRepository(url string) error {
	path, own := parseRepositoryURL(url)
	if !own || s.config.Repositories == nil {
		return nil
	}
	return s.config.Repositories.Archive(path)
}

// registerFile adds a cluster's file to the tenant's configuration, as the operator does. An existing file is kept.
func (s *Syn) registerFile(c cluster) error {
	path, ok := s.findTenantRepository(c.Tenant)
	if !ok {
		return nil
	}
	if err := s.config.Repositories.Create(path); err != nil {
		return err
	}
	files, _, err := s.config.Repositories.ReadFiles(path)
	if err != nil {
		return err
	}
	name := c.ID + ".yml"
	if _, known := files[name]; known {
		return nil
	}
	return s.commitFile(path, name, []byte("classes:\n- "+c.Tenant+".common\n"))
}

func (s *Syn) removeFile(c cluster) error {
	path, ok := s.findTenantRepository(c.Tenant)
	if !ok {
		return nil
	}
	return s.commitFile(path, c.ID+".yml", nil)
}

func (s *Syn) commitFile(path, file string, content []byte) error {
	_, err := s.config.Repositories.Commit(path, "Update cluster files", map[string][]byte{file: content})
	return err
}

// findTenantRepository returns the repository of a tenant's configuration, if it is at the Git host.
func (s *Syn) findTenantRepository(id string) (path string, ok bool) {
	t, known := s.tenants.Get(id)
	path, own := parseRepositoryURL(t.URL)
	return path, known && own && s.config.Repositories != nil
}
