package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"exoshift/assets"
	"exoshift/internal/app/explain"
	"exoshift/internal/app/request"
	"exoshift/internal/simcloud/scenario"
	"exoshift/provisioner"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/reach"
)

// AddCompletions completes the arguments and the values of flags, for a command and all below it.
func AddCompletions(cmd *cobra.Command, std Streams) {
	all := listFlagCompletions(std)
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		complete, known := all[flag.Name]
		if !known && takesFile(flag) {
			return
		}
		if !known {
			complete = cobra.NoFileCompletions
		}
		_ = cmd.RegisterFlagCompletionFunc(flag.Name, complete) // fails for those that have one
	})
	if _, _, takes := strings.Cut(cmd.Use, " "); cmd.ValidArgsFunction == nil && !takes {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	if len(cmd.ValidArgs) > 0 {
		cmd.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp) // behind the only argument
	}
	for _, below := range cmd.Commands() {
		AddCompletions(below, std)
	}
}

// listFlagCompletions returns how the values of flags are completed. One name has one meaning in all commands.
func listFlagCompletions(std Streams) map[string]cobra.CompletionFunc {
	return map[string]cobra.CompletionFunc{
		"answers":         CompleteAnswersFiles,
		"set":             completeAssignments,
		"dir":             CompleteFolders,
		"zone":            completeZones,
		"output":          completeOutputs,
		"scenario":        completeScenarios,
		"only":            completeChecks(""),
		"skip":            completeChecks("="),
		"decide":          completeDecisions,
		"confirm-destroy": CompleteClusters(std),
		catalogName:       CompleteFolders,
		stateName:         cobra.FixedCompletions([]cobra.Completion{"file:///", "s3://"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace),
		"vantage":         cobra.FixedCompletions([]cobra.Completion{reach.Workstation, "zone", "ssh:"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace),
		"record":          completeArchives,
		"compare":         completeArchives,
		request.ImageFromFlag: cobra.FixedCompletions([]cobra.Completion{
			cobra.CompletionWithDesc(reach.Workstation, "through this workstation's uplink"),
			cobra.CompletionWithDesc(reach.Zone, "by a small machine in the zone"),
		}, cobra.ShellCompDirectiveNoFileComp),
	}
}

// takesFile reports whether the value of a flag may be a path, which the shell completes.
func takesFile(flag *pflag.Flag) bool {
	switch flag.Name {
	case "kubeconfig", "release-key", "openshift-install", request.HostKeysFlag, "out", "against", "env", "calls":
		return true
	}
	return false
}

func completeArchives(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"har"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeDecisions completes a rule of the diagnosis, and after its "=" what can be decided.
func completeDecisions(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var all []cobra.Completion
	rule, _, hasRule := strings.Cut(begun, "=")
	if hasRule {
		for _, reply := range []provisioner.Reply{provisioner.ReplyRepair, provisioner.ReplyStop, provisioner.ReplyWait} {
			all = append(all, rule+"="+string(reply))
		}
		return filterBegun(all, begun), cobra.ShellCompDirectiveNoFileComp
	}
	for _, page := range explain.List() {
		if page.Kind == explain.KindRule {
			all = append(all, cobra.CompletionWithDesc(page.ID+"=", page.Title))
		}
	}
	return filterBegun(all, begun), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// CompleteAnswersFiles completes an answers file.
func CompleteAnswersFiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// CompleteFolders completes a folder.
func CompleteFolders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func completeZones(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return filterBegun(listValues(wizard.ZoneKey), begun), cobra.ShellCompDirectiveNoFileComp
}

func completeOutputs(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	choice, ok := cmd.Flags().Lookup("output").Value.(interface{ Choices() []string })
	if !ok {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return filterBegun(choice.Choices(), begun), cobra.ShellCompDirectiveNoFileComp
}

// completeScenarios completes the last of several names, which commas separate.
func completeScenarios(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := begun[:strings.LastIndexByte(begun, ',')+1]
	var all []cobra.Completion
	for _, s := range scenario.List() {
		if cmd.Name() != "check" || s.Topic == scenario.Internet {
			all = append(all, cobra.CompletionWithDesc(before+s.Name, s.Description))
		}
	}
	return filterBegun(all, begun), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeAssignments completes a key, and after its "=" a value.
func completeAssignments(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var all []cobra.Completion
	key, _, hasKey := strings.Cut(begun, "=")
	if !hasKey {
		for _, field := range answersfile.FindFields("") {
			all = append(all, cobra.CompletionWithDesc(field.Key+"=", field.Title))
		}
		return filterBegun(all, begun), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	for _, value := range listValues(key) {
		all = append(all, key+"="+value)
	}
	return filterBegun(all, begun), cobra.ShellCompDirectiveNoFileComp
}

// CompleteKeys completes a key of the answers file, or a section.
func CompleteKeys(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return filterBegun(answersfile.AnswerableNames(), begun), cobra.ShellCompDirectiveNoFileComp
}

// CompleteIDs completes whatever has a page: a check, a finding, a step, an exit code, a key of the answers.
func CompleteIDs(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var all []cobra.Completion
	for _, page := range explain.List() {
		all = append(all, cobra.CompletionWithDesc(page.ID, page.Title))
	}
	return filterIDs(append(all, answersfile.AnswerableNames()...), begun), cobra.ShellCompDirectiveNoFileComp
}

// completeChecks completes the ID of a check, the last of several with commas between them unless something follows the ID.
func completeChecks(after string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		catalogue, err := assets.ReadEndpoints()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		before := ""
		if after == "" {
			before = begun[:strings.LastIndexByte(begun, ',')+1]
		}
		var all []cobra.Completion
		for _, id := range reach.ListIDs(catalogue, nil) {
			all = append(all, before+id+after)
		}
		return filterIDs(all, begun), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// listValues returns the values that a field of the answers allows, or else the usual ones.
func listValues(key string) []string {
	var values []string
	for _, field := range answersfile.FindFields(key) {
		if field.Key != key {
			continue
		}
		values = append(values, field.Choices...)
		for _, offered := range field.Offered {
			values = append(values, offered.Value)
		}
	}
	return slices.Compact(values)
}

// filterIDs is filterBegun, and completes IDs in capitals in small letters, too, as they are accepted: most shells drop what
// does not begin with exactly what was typed.
func filterIDs(all []cobra.Completion, begun string) []cobra.Completion {
	if fit := filterBegun(all, begun); len(fit) > 0 {
		return fit
	}
	var fit []cobra.Completion
	for _, one := range all {
		id, description, described := strings.Cut(one, "\t")
		if len(id) < len(begun) || !strings.EqualFold(id[:len(begun)], begun) {
			continue
		}
		if id = begun + strings.ToLower(id[len(begun):]); described {
			id += "\t" + description
		}
		fit = append(fit, id)
	}
	return fit
}

func filterBegun(all []cobra.Completion, begun string) []cobra.Completion {
	var fit []cobra.Completion
	for _, one := range all {
		if strings.HasPrefix(one, begun) {
			fit = append(fit, one)
		}
	}
	return fit
}
