package syn

import (
	"slices"
	"time"

	"exoshift/provisioner"
)

// Steps that steps outside this package need.
const (
	StepVault         = "vault"
	StepConfiguration = "configuration"
	StepCatalog       = "catalog"
	StepToken         = "bootstrap-token"

	stepLieutenant  = "lieutenant"
	stepRegister    = "register"
	stepSecrets     = "secrets"
	stepIdentity    = "identity"
	stepInitial     = "initial-manifests"
	stepSteward     = "steward"
	stepSynthesis   = "synthesis"
	stepMaintenance = "first-maintenance"
	stepAlerts      = "alerts"
)

// BuildPreflight returns the read-only steps; logins are sequential.
func (c *Connection) BuildPreflight(phase string) provisioner.Plan {
	if !c.IsConnected() {
		return nil
	}
	return provisioner.Plan{
		{ID: stepLieutenant, Phase: phase, Title: "Get tenant and cluster from Lieutenant", Do: c.registration.check},
		{ID: StepVault, Phase: phase, Title: "Sign in at Vault", Do: c.secrets.check, Needs: []string{stepLieutenant}},
		{ID: StepConfiguration, Phase: phase, Title: "Compare the cluster's configuration", Do: c.Catalog.compare,
			Needs: []string{stepLieutenant}},
	}
}

// Register returns the steps that register the cluster, before anything is generated.
func (c *Connection) Register(phase string) provisioner.Plan {
	if !c.IsConnected() {
		return nil
	}
	return provisioner.Plan{
		{ID: stepRegister, Phase: phase, Title: "Register the cluster in Lieutenant", Do: c.registration.ensure,
			Needs: []string{"dns-zone"}, Usual: time.Minute},
		{ID: stepSecrets, Phase: phase, Title: "Write the cluster's secrets to Vault", Do: c.secrets.put,
			Needs: []string{stepRegister}},
		{ID: StepCatalog, Phase: phase, Title: "Compile the cluster's catalog", Do: c.Catalog.compileFirst,
			Needs: []string{stepSecrets}, Usual: 3 * time.Minute},
	}
}

// BuildToken returns the step that comes before the first machine.
func (c *Connection) BuildToken(phase string) provisioner.Plan {
	if !c.IsConnected() {
		return nil
	}
	return provisioner.Plan{{ID: StepToken, Phase: phase, Title: "Verify the bootstrap token",
		Do: c.registration.checkTokenAgain, Needs: []string{stepRegister, "delegation"}}}
}

// IsSynStep reports whether a step of another phase belongs to Project Syn.
func IsSynStep(step string) bool {
	return slices.Contains([]string{stepRegister, stepSecrets, StepCatalog, StepToken}, step)
}

// BuildHandover returns the steps that hand the cluster over to Project Syn.
func (c *Connection) BuildHandover(phase string) provisioner.Plan {
	if !c.IsConnected() {
		return nil
	}
	plan := provisioner.Plan{
		{ID: stepIdentity, Phase: phase, Title: "Write the cluster's identity into its configuration", Do: c.Catalog.compileFinal,
			Needs: []string{"ignition", "image", StepCatalog}, Usual: 3 * time.Minute},
		{ID: stepInitial, Phase: phase, Title: "Apply what the catalog needs from the start", Do: c.steward.applyInitial(),
			Needs: []string{"nodes", stepIdentity}},
		{ID: stepSteward, Phase: phase, Title: "Start Steward, the agent of Project Syn", Do: c.steward.install,
			Needs: []string{"cluster-version", stepInitial, stepIdentity}},
	}
	if c.Spec.DNS.ACME {
		plan = append(plan, provisioner.Step{ID: "acme", Phase: phase, Title: "Delegate the ACME challenges",
			Do: c.synthesis.ensureACME(), Needs: []string{stepSteward, "dns"}, Usual: 8 * time.Minute})
	}
	return append(plan, provisioner.Plan{
		{ID: stepSynthesis, Phase: phase, Title: "Wait until every application is synced and healthy", Do: c.synthesis.wait(),
			Needs: []string{stepSteward}, Usual: 10 * time.Minute},
		{ID: "reported", Phase: phase, Title: "Verify the facts reported to Lieutenant", Do: c.registration.waitReported(),
			Needs: []string{stepSteward}, Usual: 2 * time.Minute},
		{ID: stepMaintenance, Phase: phase, Title: "Run the first maintenance", Do: c.operations.runFirstMaintenance,
			Needs: []string{stepSynthesis}, Usual: 10 * time.Minute},
		{ID: stepAlerts, Phase: phase, Title: "Check the alerts", Do: c.operations.checkAlerts,
			Needs: []string{stepMaintenance}},
		{ID: "on-call", Phase: phase, Title: "Route alerts to on-call", Do: c.operations.onCall,
			Needs: []string{stepAlerts}},
	}...)
}
