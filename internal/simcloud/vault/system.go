package vault

import (
	"net/http"
	"strconv"
	"strings"
)

// serveHealth reports the seal status, also by the HTTP status, which the client may choose by parameters.
func (v *Vault) serveHealth(r request) reply {
	status, sealed := http.StatusOK, v.isSealed()
	if sealed {
		status = http.StatusServiceUnavailable
	}
	if chosen, err := strconv.Atoi(r.URL.Query().Get("sealedcode")); err == nil && sealed {
		status = chosen
	}
	return reply{status: status, body: map[string]any{
		"initialized": true, "sealed": sealed, "standby": false, "performance_standby": false,
		"replication_performance_mode": "disabled", "replication_dr_mode": "disabled",
		"server_time_utc": v.config.Now().Unix(), "version": "1.15.6", "cluster_name": "vault-prod",
		"cluster_id": "c9a4f0d2-5d0e-4d57-9ad9-93b94f3bc6f5",
	}}
}

func (v *Vault) serveSealStatus() reply {
	sealed := v.isSealed()
	return reply{status: http.StatusOK, body: map[string]any{
		"type": "shamir", "initialized": true, "sealed": sealed, "t": 3, "n": 5, "progress": 0, "nonce": "", "version": "1.15.6",
		"cluster_name": "vault-prod", "cluster_id": "c9a4f0d2-5d0e-4d57-9ad9-93b94f3bc6f5", "recovery_seal": false, "storage_type": "raft",
	}}
}

func (v *Vault) serveSystem(r request) (reply, error) {
	mount, isMount := strings.CutPrefix(r.path, "sys/internal/ui/mounts/")
	switch {
	case isMount && r.Method == http.MethodGet:
		return v.describeMount(r.token, mount)
	case r.is(http.MethodPost, "sys/capabilities-self") && r.token.isDefault():
		return v.serveCapabilities(r)
	}
	return reply{}, errDenied
}

// describeMount returns the engine of a path; clients read it before they use the path.
func (v *Vault) describeMount(t token, path string) (reply, error) {
	if !strings.HasPrefix(strings.TrimSuffix(path, "/")+"/", v.config.Mount+"/") || !v.policies.hasAnyAccess(t) {
		return reply{}, newAPIError(http.StatusForbidden,
			"preflight capability check returned 403, please ensure client's policies grant access to path %q", path+"/")
	}
	return newDataReply("system", map[string]any{
		"accessor": "kv_3e7bd2a4", "description": "", "external_entropy_access": false, "local": false,
		"config":  map[string]any{"default_lease_ttl": 0, "force_no_cache": false, "max_lease_ttl": 0},
		"options": map[string]string{"version": "2"}, "path": v.config.Mount + "/", "type": "kv", "seal_wrap": false,
		"uuid": "5aa0a9d0-6d38-4e6c-92cf-a0a2e7e0cd0b",
	}), nil
}

func (v *Vault) serveCapabilities(r request) (reply, error) {
	var body struct {
		Paths []string `json:"paths"`
		Path  string   `json:"path"`
	}
	if err := r.decode(&body); err != nil {
		return reply{}, err
	}
	if body.Path != "" {
		body.Paths = append(body.Paths, body.Path)
	}
	if len(body.Paths) == 0 {
		return reply{}, newAPIError(http.StatusBadRequest, "paths must be supplied")
	}
	values := map[string]any{}
	for _, path := range body.Paths {
		values[path] = v.policies.listCapabilities(r.token, path)
	}
	values["capabilities"] = values[body.Paths[0]]
	answer := newDataReply("system", values)
	for key, value := range values { // older clients read the top level instead of data
		answer.body[key] = value
	}
	return answer, nil
}
