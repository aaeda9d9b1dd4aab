package wizard

// Intro returns the purpose of a screen in one sentence.
func (s Screen) Intro() string {
	return map[Screen]string{
		Access:  "How to sign in to Exoscale, and where the cluster will be.",
		Cluster: "What the cluster is called and which release is installed.",
		Nodes:   "How many machines of which size the cluster has.",
		Network: "The address ranges inside, and the way in from outside.",
		Syn:     "Only with Project Syn: where the cluster is registered.",
		Secrecy: "What the machines need to download, and you to get in.",
	}[s]
}
