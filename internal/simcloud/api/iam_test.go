package api_test

import (
	"net/http"
	"strings"
	"testing"

	egoscale "github.com/exoscale/egoscale/v2"
	"github.com/google/go-cmp/cmp"
)

// rule allows what an expression matches.
func rule(expression string) egoscale.IAMPolicyServiceRule {
	return egoscale.IAMPolicyServiceRule{Action: ptr("allow"), Expression: &expression}
}

// only is a policy that allows one service, by rules.
func only(service string, rules ...egoscale.IAMPolicyServiceRule) *egoscale.IAMPolicy {
	return &egoscale.IAMPolicy{DefaultServiceStrategy: "deny", Services: map[string]egoscale.IAMPolicyService{
		service: {Type: ptr("rules"), Rules: rules},
	}}
}

func (w world) role(policy *egoscale.IAMPolicy) *egoscale.IAMRole {
	w.Helper()
	role, err := w.client.CreateIAMRole(w.ctx(), zone, &egoscale.IAMRole{
		Name: ptr("ccm"), Editable: ptr(true), Labels: map[string]string{"cluster": "c"}, Policy: policy,
	})
	w.must(err)
	return role
}

// as returns a client with a new key of a role.
func (w world) as(role *egoscale.IAMRole) (*egoscale.APIKey, string, *egoscale.Client) {
	w.Helper()
	made, secret, err := w.client.CreateAPIKey(w.ctx(), zone, &egoscale.APIKey{Name: role.Name, RoleID: role.ID})
	w.must(err)
	client, err := egoscale.NewClient(*made.Key, secret,
		egoscale.ClientOptWithHTTPClient(&http.Client{Transport: direct{handler: w.validated()}}))
	w.must(err)
	return made, secret, client
}

func (w world) denied(err error, operation string) {
	w.Helper()
	if err == nil || !strings.Contains(err.Error(), "Forbidden by IAM policy: operation "+operation) {
		w.Errorf("got %v, want %s to be forbidden", err, operation)
	}
}

func TestRole_Permissions(t *testing.T) {
	inBubble(t, nil, func(w world) {
		_, _, ccm := w.as(w.role(only("compute", rule("operation in ['list-instances', 'get-operation', 'list-zones']"))))
		_, err := ccm.ListInstances(w.ctx(), zone)
		w.must(err)
		_, err = ccm.ListSecurityGroups(w.ctx(), zone)
		w.denied(err, "list-security-groups of service compute")
		_, err = ccm.ListDNSDomains(w.ctx(), zone)
		w.denied(err, "list-dns-domains of service dns")
		_, err = ccm.ListAPIKeys(w.ctx(), zone)
		w.denied(err, "list-api-keys of service iam")
	})
}

func TestPolicy_FirstMatchDecides(t *testing.T) {
	inBubble(t, nil, func(w world) {
		mine, other := w.group("mine"), w.group("other")
		deny := rule("resources.security_group.name == 'other' && operation.startsWith('delete-')")
		deny.Action = ptr("deny")
		_, _, client := w.as(w.role(only("compute", deny, rule("operation.endsWith('-security-group') || operation == 'get-operation'"))))
		w.denied(client.DeleteSecurityGroup(w.ctx(), zone, other), "delete-security-group")
		w.must(client.DeleteSecurityGroup(w.ctx(), zone, mine))
		_, err := client.GetSecurityGroup(w.ctx(), zone, *other.ID)
		w.must(err)
	})
}

func TestPolicy_ParametersAndResources(t *testing.T) {
	inBubble(t, nil, func(w world) {
		ip, elsewhere := w.elasticIP(nil), w.elasticIP(nil)
		i, _ := w.machine("one")
		_, _, floaty := w.as(w.role(only("compute",
			rule("operation == 'attach-instance-to-elastic-ip' && resources.elastic_ip.ip in ['"+ip.IPAddress.String()+
				"'] && resources.instance.name == 'one'"),
			rule("operation == 'get-operation'"),
			rule("operation == 'create-private-network' && parameters.start_ip == '10.0.0.1'"))))
		w.must(floaty.AttachInstanceToElasticIP(w.ctx(), zone, i, ip))
		w.denied(floaty.AttachInstanceToElasticIP(w.ctx(), zone, i, elsewhere), "attach-instance-to-elastic-ip")
		_, err := floaty.CreatePrivateNetwork(w.ctx(), zone, &egoscale.PrivateNetwork{Name: ptr("net")})
		w.denied(err, "create-private-network")
	})
}

func TestPolicy_RefusesInvalid(t *testing.T) {
	inBubble(t, nil, func(w world) {
		for name, policy := range map[string]*egoscale.IAMPolicy{
			"syntax":   only("compute", rule("operation in [")),
			"variable": only("compute", rule("weather == 'fine'")),
			"type":     {DefaultServiceStrategy: "deny", Services: map[string]egoscale.IAMPolicyService{"sos": {Type: ptr("perhaps")}}},
			"strategy": {DefaultServiceStrategy: "perhaps", Services: map[string]egoscale.IAMPolicyService{}},
		} {
			_, err := w.client.CreateIAMRole(w.ctx(), zone, &egoscale.IAMRole{Name: &name, Policy: policy})
			w.refused(err)
		}
	})
}

func TestPolicy_ChangeTakesEffect(t *testing.T) {
	inBubble(t, nil, func(w world) {
		role := w.role(only("compute", rule("operation == 'list-instances'")))
		made, _, client := w.as(role)
		role.Policy = only("compute", rule("operation == 'list-quotas'"))
		w.must(w.client.UpdateIAMRolePolicy(w.ctx(), zone, role))
		_, err := client.ListInstances(w.ctx(), zone)
		w.denied(err, "list-instances")
		_, err = client.ListQuotas(w.ctx(), zone)
		w.must(err)
		role.Description = ptr("changed")
		w.must(w.client.UpdateIAMRole(w.ctx(), zone, role))
		roles, err := w.client.ListIAMRoles(w.ctx(), zone)
		w.must(err)
		if len(roles) != 1 || *roles[0].Description != "changed" {
			t.Errorf("roles: %+v", roles)
		}
		keys, err := w.client.ListAPIKeys(w.ctx(), zone)
		w.must(err)
		shown, err := w.client.GetAPIKey(w.ctx(), zone, *made.Key)
		w.must(err)
		if diff := cmp.Diff([]*egoscale.APIKey{shown}, keys); diff != "" || *shown.RoleID != *role.ID {
			t.Error(diff)
		}
	})
}

func TestPolicy_OrganizationApplies(t *testing.T) {
	inBubble(t, nil, func(w world) {
		made, secretOfMade, client := w.as(w.role(&egoscale.IAMPolicy{DefaultServiceStrategy: "allow", Services: map[string]egoscale.IAMPolicyService{}}))
		bound := &egoscale.IAMPolicy{DefaultServiceStrategy: "allow", Services: map[string]egoscale.IAMPolicyService{"dns": {Type: ptr("deny")}}}
		w.must(w.client.UpdateIAMOrgPolicy(w.ctx(), zone, bound))
		_, err := client.ListDNSDomains(w.ctx(), zone)
		w.denied(err, "list-dns-domains")
		_, err = w.client.ListDNSDomains(w.ctx(), zone)
		w.denied(err, "list-dns-domains")
		kept, err := w.client.GetIAMOrgPolicy(w.ctx(), zone)
		w.must(err)
		if kept.Services["dns"].Type == nil || *kept.Services["dns"].Type != "deny" {
			t.Errorf("policy: %+v", kept)
		}
		w.must(w.client.UpdateIAMOrgPolicy(w.ctx(), zone, only("compute", rule("operation == 'get-operation'"))))
		const reset = "/iam-organization-policy:reset"
		if status, body := w.send(*made.Key, secretOfMade, http.MethodPost, reset, ""); status != http.StatusForbidden {
			t.Errorf("reset by a role without the permission: %d %s", status, body)
		}
		if status, body := w.send(key, secret, http.MethodPost, reset, ""); status != http.StatusOK {
			t.Errorf("reset by the owner: %d %s", status, body)
		}
		_, err = client.ListDNSDomains(w.ctx(), zone)
		w.must(err)
	})
}

func TestPolicy_StoragePermissions(t *testing.T) {
	inBubble(t, nil, func(w world) {
		outside := rule("!(parameters.bucket in ['mine'])")
		outside.Action = ptr("deny")
		made, secret, _ := w.as(w.role(only("sos", rule("operation == 'list-buckets'"), outside, rule("operation in ['put-object']"))))
		got, allows, ok := w.api.Credentials(*made.Key)
		if !ok || got != secret {
			t.Errorf("the key is not known")
		}
		for _, test := range []struct {
			operation, bucket string
			want              bool
		}{
			{"put-object", "mine", true}, {"put-object", "other", false}, {"list-buckets", "", true}, {"get-object", "mine", false},
		} {
			if allows(test.operation, test.bucket, "key") != test.want {
				t.Errorf("%+v", test)
			}
		}
		if _, allows, ok := w.api.Credentials(key); !ok || !allows("delete-bucket", "other", "") {
			t.Error("the owner may not do everything")
		}
		if _, _, ok := w.api.Credentials("EXOnobody"); ok {
			t.Error("nobody is known")
		}
	})
}
