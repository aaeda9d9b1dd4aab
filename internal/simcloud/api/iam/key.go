package iam

import (
	"crypto/rand"
	"strings"

	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

type apiKey struct {
	resource.Row
	Wire   WireKey
	Secret string
}

// WireKey is an API key in the wire format.
type WireKey struct {
	Key    string `json:"key"`
	Name   string `json:"name"`
	Role   string `json:"role-id"`
	Secret string `json:"secret,omitempty"` // returned once, by the call that creates the key
}

// Keys are the organization's API keys.
type Keys struct {
	table *resource.Table[apiKey]
	roles *resource.Table[role]
	store *resource.Store

	RevokesReplaced bool // the next key that has the name of others has these revoked
}

// registerRoutes adds the routes of API keys.
func (s *Keys) registerRoutes(register rest.Register) {
	register("GET /api-key", s.list)
	register("POST /api-key", s.create)
	register("GET /api-key/{id}", func(req *rest.Request) (any, error) {
		k, err := s.table.Get("", req.ID())
		return k.Wire, err
	})
	register("DELETE /api-key/{id}", s.delete)
}

func (s *Keys) list(*rest.Request) (any, error) {
	list := []WireKey{}
	for _, k := range s.table.All() {
		list = append(list, k.Wire)
	}
	return map[string]any{"api-keys": list}, nil
}

func (s *Keys) create(req *rest.Request) (any, error) {
	var body WireKey
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	if err := rest.FirstError(rest.CheckLength("name", body.Name, 1, 255), s.store.Quotas.Check("iam-key", 1)); err != nil {
		return nil, err
	}
	if _, err := s.roles.Get("", body.Role); err != nil {
		return nil, err
	}
	head, err := s.store.NewRow("")
	if err != nil {
		return nil, err
	}
	key := "EXO" + strings.ToLower(rand.Text())[:24]
	head.ID = key
	if s.RevokesReplaced && s.Revoke(body.Name) > 0 {
		s.RevokesReplaced = false
	}
	body.Key, body.Secret = key, ""
	secret := rand.Text() + rand.Text()
	if err := s.table.Put(apiKey{Row: head, Wire: body, Secret: secret}); err != nil {
		return nil, err
	}
	body.Secret = secret
	return body, nil
}

func (s *Keys) delete(req *rest.Request) (any, error) {
	k, err := s.table.Get("", req.ID())
	if err != nil {
		return nil, err
	}
	if err := s.table.Delete(k.ID); err != nil {
		return nil, err
	}
	// The description wants a UUID in every operation, which a key is not; the live service's value is not known.
	answer := resource.NewReference("api-key", k.ID)
	answer.ID = resource.StableID(answer.Link)
	return s.store.Begin("", resource.Duration(k.ID), resource.Operation{Wire: resource.WireOperation{Reference: answer}})
}

// Revoke deletes the API keys whose names contain part, and returns their number.
func (s *Keys) Revoke(part string) int {
	revoked := 0
	for _, k := range s.table.All() {
		if strings.Contains(k.Wire.Name, part) && s.table.Delete(k.ID) == nil {
			revoked++
		}
	}
	return revoked
}
