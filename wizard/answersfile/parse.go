package answersfile

import (
	"exoshift/state"
	"exoshift/wizard"
)

// Parse reads an answers file over the defaults. It returns every problem of the file at once, in the order of the file;
// with problems, the Spec may only be displayed. name is the file's name in problems.
func Parse(name string, yaml []byte) (state.Spec, []wizard.Problem) {
	all := newSingleLayer(ReadAnswers(name, yaml))
	return all.Answers.Spec, all.Problems()
}

// Load is Parse followed by ResolveSecrets and CheckPaths, with the problems of all in one list.
func Load(name string, yaml []byte, lookup func(env string) (string, bool)) (state.Spec, wizard.Secrets, []wizard.Problem) {
	all := newSingleLayer(ReadAnswers(name, yaml))
	secrets := all.Resolve(lookup)
	return all.Answers.Spec, secrets, all.Problems()
}

func newSingleLayer(layer Layer) *MergedAnswers { return MergeLayers(layer.Given, layer) }
