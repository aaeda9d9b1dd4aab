package openshift

import "exoshift/internal/simcloud/kube"

// moveRouters simulates another repository that manages the same ingress controller: once, after a placement was set, it moves
// the routers to the masters and makes these schedulable.
func (k ingressOperator) moveRouters(controller kube.Object) error {
	const what = "routers displaced"
	_, done := k.stateRecords.Get(what)
	if !k.faults.RoutersOnMasters || done || len(controller.Map("spec.nodePlacement.nodeSelector.matchLabels")) == 0 {
		return nil
	}
	if _, err := k.objects.Update("schedulers.config.openshift.io", "", "cluster", func(o kube.Object) error {
		o.Set("spec.mastersSchedulable", true)
		return nil
	}); err != nil {
		return err
	}
	_, err := k.objects.Update(ingressResource, operatorNamespace, "default", func(o kube.Object) error {
		o.Set("spec.nodePlacement", kube.Object{
			"nodeSelector": kube.Object{"matchLabels": kube.Object{masterTaint: ""}}, "tolerations": []kube.Object{{"operator": "Exists"}},
		})
		return nil
	})
	if err != nil {
		return err
	}
	return k.stateRecords.Put(what, stateRecord{what, "", k.clock.Now()})
}
