package api

import (
	"net/http"
	"regexp"

	"golang.org/x/crypto/ssh"
)

type sshKey struct {
	row
	Wire      wireKey
	PublicKey string
}

type wireKey struct {
	Name        string `json:"name"`
	Fingerprint string `json:"fingerprint,omitempty"`
}

func (a *API) registerKeyRoutes(register func(string, handler)) {
	register("GET /ssh-key", a.listKeys)
	register("POST /ssh-key", a.registerKey)
	register("GET /ssh-key/{id}", func(c *call) (any, error) {
		key, err := a.tables.keys.get("", c.id())
		return key.Wire, err
	})
	register("DELETE /ssh-key/{id}", a.deleteKey)
}

func (a *API) listKeys(*call) (any, error) {
	list := []wireKey{}
	for _, key := range a.tables.keys.listAll() {
		list = append(list, key.Wire)
	}
	return map[string]any{"ssh-keys": list}, nil
}

func (a *API) registerKey(c *call) (any, error) {
	var body struct {
		Name      string `json:"name"`
		PublicKey string `json:"public-key"`
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if !regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._-]{0,254}$`).MatchString(body.Name) {
		return nil, newInvalidError("name does not look like the name of an SSH key")
	}
	if _, taken := a.tables.keys.table.Get(body.Name); taken {
		return nil, newAPIError(http.StatusConflict, "SSH key %s already exists", body.Name)
	}
	public, _, _, _, err := ssh.ParseAuthorizedKey([]byte(body.PublicKey))
	if err != nil {
		return nil, newAPIError(http.StatusConflict, "Public key is invalid")
	}
	head, err := a.newRow("")
	if err != nil {
		return nil, err
	}
	head.ID = body.Name // keys are identified by name
	wire := wireKey{Name: body.Name, Fingerprint: ssh.FingerprintLegacyMD5(public)}
	return a.completeMutation(a.tables.keys.put(sshKey{row: head, Wire: wire, PublicKey: body.PublicKey}))
}

func (a *API) deleteKey(c *call) (any, error) {
	key, err := a.tables.keys.get("", c.id())
	if err != nil {
		return nil, err
	}
	return a.completeMutation(a.tables.keys.delete(key.ID))
}

// completeMutation returns an operation that is complete at once, without a reference, as those of SSH keys are.
func (a *API) completeMutation(err error) (any, error) {
	if err != nil {
		return nil, err
	}
	head, err := a.newRow("")
	if err != nil {
		return nil, err
	}
	op := operation{row: head, Wire: wireOperation{ID: head.ID, State: success}}
	return op.Wire, a.tables.operations.put(op)
}
