package openshift

import "exoshift/internal/simcloud/kube"

// displace lets somebody move the routers to the masters and make these schedulable, once, after the routers had been
// given another place: another repository may manage the same ingress controller.
func (k *controllers) displace(controller kube.Object) error {
	const what = "routers displaced"
	_, done := k.sightings.Get(what)
	if !k.troubles.RoutersOnMasters || done || len(controller.Map("spec.nodePlacement.nodeSelector.matchLabels")) == 0 {
		return nil
	}
	if _, err := k.objects.Change("schedulers.config.openshift.io", "", "cluster", func(o kube.Object) error {
		o.Set("spec.mastersSchedulable", true)
		return nil
	}); err != nil {
		return err
	}
	_, err := k.objects.Change(ingressResource, operatorNamespace, "default", func(o kube.Object) error {
		o.Set("spec.nodePlacement", kube.Object{
			"nodeSelector": kube.Object{"matchLabels": kube.Object{masterTaint: ""}}, "tolerations": []kube.Object{{"operator": "Exists"}},
		})
		return nil
	})
	if err != nil {
		return err
	}
	return k.sightings.Put(what, sighting{what, "", k.clock.Now()})
}
