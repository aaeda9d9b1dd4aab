package exoscale

import (
	"context"
	"encoding/base64"
	"net/http"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

// maxUserData is the API's limit, in characters of base64.
const maxUserData = 32768

type createInstanceRequest struct {
	Name               string            `json:"name"`
	InstanceType       api.Reference     `json:"instance-type"`
	Template           api.Reference     `json:"template"`
	DiskSize           int               `json:"disk-size"` // GiB
	UserData           string            `json:"user-data,omitempty"`
	Labels             map[string]string `json:"labels,omitempty"`
	PublicIPAssignment string            `json:"public-ip-assignment"`
	SecurityGroups     []api.Reference   `json:"security-groups,omitempty"`
	AntiAffinityGroups []api.Reference   `json:"anti-affinity-groups,omitempty"`
	DeployTarget       *api.Reference    `json:"deploy-target,omitempty"`
}

func toReferences(ids []string) []api.Reference {
	list := make([]api.Reference, len(ids))
	for i, id := range ids {
		list[i] = api.Reference{ID: id}
	}
	return list
}

// requestInstance does not wait for the instance. Its ID is in the journal when requestInstance returns.
func (c *Instances) requestInstance(ctx context.Context, wanted state.Instance) (ordered api.Operation, err error) {
	typeID, err := c.types.findID(ctx, wanted.Type)
	if err != nil {
		return ordered, err
	}
	body := createInstanceRequest{
		Name: wanted.Name, InstanceType: api.Reference{ID: typeID}, Template: api.Reference{ID: wanted.TemplateID}, DiskSize: wanted.DiskGiB,
		UserData: base64.StdEncoding.EncodeToString(wanted.UserData), Labels: wanted.Labels, PublicIPAssignment: "inet4",
		SecurityGroups: toReferences(wanted.SecurityGroups), AntiAffinityGroups: toReferences(wanted.AntiAffinityGroups),
	}
	if wanted.DeployTarget != "" {
		body.DeployTarget = &api.Reference{ID: wanted.DeployTarget}
	}
	err = c.api.ApplyChange(ctx, state.Created, kindInstance, wanted.Name, func(ctx context.Context) (string, error) {
		ordered, err = c.api.StartOperation(ctx, http.MethodPost, "/instance", body)
		if err == nil {
			ordered.Reference.ID, err = c.api.AwaitReference(ctx, "create instance "+wanted.Name, ordered)
		}
		return ordered.Reference.ID, err
	})
	return ordered, err
}

func checkInstances(wanted []state.Instance) error {
	names := map[identity]bool{}
	for _, one := range wanted {
		op := "create instance " + one.Name
		if size := base64.StdEncoding.EncodedLen(len(one.UserData)); size > maxUserData {
			return fault.Newf(fault.Invalid, op, "its user data has %d characters in base64, Exoscale accepts %d", size, maxUserData).
				WithHint("move large documents to object storage and link to them")
		}
		if names[newIdentity(one)] {
			return fault.Newf(fault.Invalid, op, "it is requested twice").WithHint("give each machine a unique name")
		}
		names[newIdentity(one)] = true
	}
	return nil
}
