package api

import (
	"crypto/rand"
	"net/http"
	"time"
)

// passwordLife is how long a password can be read.
const passwordLife = 24 * time.Hour

// generatePassword reports whether the template has a password.
func (a *API) generatePassword(i *instance) (given bool) {
	image, err := a.findTemplate(i.Zone, i.Template)
	if err != nil || !image.Wire.PasswordEnabled {
		return false
	}
	i.Password, i.PasswordAt = rand.Text()[:16], a.now()
	return true
}

func (a *API) showPassword(c *call) (any, error) {
	i, err := a.tables.instances.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	if i.Password == "" || a.now().Sub(i.PasswordAt) > passwordLife {
		return nil, newAPIError(http.StatusNotFound, "Password of instance %s not found", i.Name)
	}
	return map[string]string{"password": i.Password}, nil
}

func (a *API) resetPassword(c *call) (any, error) {
	i, err := a.tables.instances.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	if !a.generatePassword(&i) {
		return nil, newInvalidError("The template of instance %s is not enabled for passwords", i.Name)
	}
	return a.putInstance(i)
}
