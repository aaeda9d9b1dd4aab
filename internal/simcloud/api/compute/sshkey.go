package compute

import (
	"net/http"
	"regexp"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

type sshKey struct {
	resource.Row
	Wire      instance.SSHKey
	PublicKey string
}

var keyName = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._-]*$`)

// SSHKeys are the organization's SSH keys, which are identified by name.
type SSHKeys struct {
	store *resource.Store
	table *resource.Table[sshKey]
}

// registerRoutes adds the routes of SSH keys.
func (s *SSHKeys) registerRoutes(register rest.Register) {
	register("GET /ssh-key", s.list)
	register("POST /ssh-key", s.create)
	register("GET /ssh-key/{id}", func(req *rest.Request) (any, error) {
		key, err := s.table.Get("", req.ID())
		return key.Wire, err
	})
	register("DELETE /ssh-key/{id}", s.delete)
}

func (s *SSHKeys) list(*rest.Request) (any, error) {
	list := []instance.SSHKey{}
	for _, key := range s.table.All() {
		list = append(list, key.Wire)
	}
	return map[string]any{"ssh-keys": list}, nil
}

func (s *SSHKeys) create(req *rest.Request) (any, error) {
	var body struct {
		Name      string `json:"name"`
		PublicKey string `json:"public-key"`
	}
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	if !keyName.MatchString(body.Name) || len(body.Name) > 255 {
		return nil, rest.Invalidf("name does not look like the name of an SSH key")
	}
	if _, taken := s.table.Lookup(body.Name); taken {
		return nil, rest.Errorf(http.StatusConflict, "SSH key %s already exists", body.Name)
	}
	public, _, _, _, err := ssh.ParseAuthorizedKey([]byte(body.PublicKey))
	if err != nil {
		return nil, rest.Errorf(http.StatusConflict, "Public key is invalid")
	}
	wire := instance.SSHKey{Name: body.Name, Fingerprint: ssh.FingerprintLegacyMD5(public)}
	if same, known := s.table.Find(func(key sshKey) bool { return key.Wire.Fingerprint == wire.Fingerprint }); known {
		return nil, rest.Errorf(http.StatusConflict, "SSH key %s already has this fingerprint", same.ID)
	}
	head, err := s.store.NewRow("")
	if err != nil {
		return nil, err
	}
	head.ID = body.Name // keys are identified by name
	if err := s.table.Put(sshKey{Row: head, Wire: wire, PublicKey: body.PublicKey}); err != nil {
		return nil, err
	}
	return s.store.CompleteOperation()
}

func (s *SSHKeys) delete(req *rest.Request) (any, error) {
	key, err := s.table.Get("", req.ID())
	if err != nil {
		return nil, err
	}
	if err := s.table.Delete(key.ID); err != nil {
		return nil, err
	}
	return s.store.CompleteOperation()
}
