package kubeapi

// Route is a route.openshift.io/v1 Route.
type Route struct {
	Status struct {
		Ingress []struct {
			Host       string     `json:"host"`
			Conditions Conditions `json:"conditions"`
		} `json:"ingress"`
	} `json:"status"`
}

// FindHost returns the host that a router serves, "" if none does.
func (r Route) FindHost() string {
	for _, served := range r.Status.Ingress {
		if served.Host != "" && served.Conditions.Is("Admitted") {
			return served.Host
		}
	}
	return ""
}
