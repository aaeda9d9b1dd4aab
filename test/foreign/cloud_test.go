package foreign

import (
	"errors"
	"testing"

	v3 "github.com/exoscale/egoscale/v3"
	"github.com/exoscale/egoscale/v3/credentials"
)

// cloud is somebody who uses Exoscale's SDK.
type cloud struct {
	*v3.Client
	*testing.T
}

// open finds the way to the zone as the SDK's users do: from the list of zones.
func open(t *testing.T) cloud {
	t.Helper()
	anywhere, err := v3.NewClient(credentials.NewEnvCredentials())
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := anywhere.GetZoneAPIEndpoint(t.Context(), "ch-gva-2")
	if err != nil {
		t.Fatal(err)
	}
	return cloud{anywhere.WithEndpoint(endpoint), t}
}

// done waits for an operation.
func (c cloud) done(op *v3.Operation, err error) *v3.Operation {
	c.Helper()
	if err == nil {
		op, err = c.Client.Wait(c.Context(), op, v3.OperationStateSuccess)
	}
	if err != nil {
		c.Fatal(err)
	}
	return op
}

// made waits for an operation and returns what it refers to.
func (c cloud) made(op *v3.Operation, err error) v3.UUID {
	c.Helper()
	op = c.done(op, err)
	if op.Reference == nil || op.Reference.ID == "" {
		c.Fatalf("operation %s refers to nothing", op.ID)
	}
	return op.Reference.ID
}

// gone demands that something cannot be read any more.
func (c cloud) gone(_ any, err error) {
	c.Helper()
	if !errors.Is(err, v3.ErrNotFound) {
		c.Errorf("deleted, and reading it says %v", err)
	}
}

// want compares one property that was read.
func want[T comparable](c cloud, what string, got, want T) {
	c.Helper()
	if got != want {
		c.Errorf("%s is %v, not %v", what, got, want)
	}
}

// get is what a call read; applied to somebody it is the value.
func get[T any](value T, err error) func(cloud) T {
	return func(c cloud) T {
		c.Helper()
		if err != nil {
			c.Fatal(err)
		}
		return value
	}
}

// has demands that a list holds one element of which is is true.
func has[T any](c cloud, list []T, is func(T) bool) {
	c.Helper()
	found := 0
	for _, element := range list {
		if is(element) {
			found++
		}
	}
	if found != 1 {
		c.Errorf("listed %d times among %d", found, len(list))
	}
}

// ubuntu is a template that is always there.
func (c cloud) ubuntu() *v3.Template {
	c.Helper()
	list := get(c.ListTemplates(c.Context(), v3.ListTemplatesWithVisibility(v3.ListTemplatesVisibilityPublic)))(c)
	return &v3.Template{ID: get(list.FindTemplate("Linux Ubuntu 24.04 LTS 64-bit"))(c).ID}
}

// size returns an instance type of the standard family.
func (c cloud) size(name string) *v3.InstanceType {
	c.Helper()
	for _, candidate := range get(c.ListInstanceTypes(c.Context()))(c).InstanceTypes {
		if string(candidate.Size) == name && candidate.Family == v3.InstanceTypeFamilyStandard {
			return &v3.InstanceType{ID: candidate.ID}
		}
	}
	c.Fatalf("there is no type standard.%s", name)
	return nil
}
