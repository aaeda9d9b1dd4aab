package openshift

// listExpectedAlerts returns the alerts that fire on a healthy new cluster, each with its reason. The reasons are from
// OpenShift's documentation of monitoring and of the Insights Operator, and from the rules themselves.
func listExpectedAlerts() map[string]string {
	return map[string]string{
		"Watchdog":                           "it always fires: it shows that alerts are delivered",
		"InfoInhibitor":                      "it fires beside alerts of severity info only, and holds them back",
		"AlertmanagerReceiversNotConfigured": "every new cluster has it, until somebody sets who is told of alerts",
		"InsightsDisabled":                   "the cluster sends no reports to Red Hat: the pull secret has no token for it, or somebody decided so",
		"SimpleContentAccessNotAvailable":    "the Red Hat account of the pull secret has no simple content access; a cluster needs none",
		"InsightsRecommendationActive":       "Red Hat has advice for the cluster; it is no failure",
		"UpdateAvailable":                    "there is a newer release; maintenance installs it",
	}
}
