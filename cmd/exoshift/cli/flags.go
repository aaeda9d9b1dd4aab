package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/request"
	"exoshift/provisioner/install"
	"exoshift/wizard/reach"
)

// ProgramKey is the annotation of the root command with the name, the version and the system of the program.
const ProgramKey = "program"

// Bind reads the shared flags of a command, and the variables in their place.
func Bind(cmd *cobra.Command, std Streams) (Options, error) {
	layers, err := BindFlags(cmd)
	if err != nil {
		return Options{}, err
	}
	installer, err := toAbsolutePath(layers.GetString("openshift-install"))
	if err != nil {
		return Options{}, err
	}
	set, err := ParseAssignments(cmd)
	if err != nil {
		return Options{}, err
	}
	chosen, err := bindOutput(cmd, layers, std)
	o := NewOptions(request.Request{
		Answers: layers.GetString("answers"), Set: set, Dir: layers.GetString("dir"), Yes: layers.GetBool("yes"),
		WaitForDNS: layers.GetDuration("wait-for-dns"), Installer: installer,
		ReleaseKey: layers.GetString("release-key"), Renew: layers.GetBool("renew-certificates"),
		NewKeys:         layers.GetStringSlice(newKeyName),
		BootstrapAccess: layers.GetBool("bootstrap-access"),
		TrustToken:      layers.GetBool("trust-bootstrap-token"),
		Plan:            getPlan(cmd),
		NoRepair:        layers.GetBool(request.NoRepairFlag),
		WaitOnFailure:   layers.GetBool(request.WaitOnFailureFlag),
		Host:            std.Host,
		Program:         cmd.Root().Annotations[ProgramKey],
	}, chosen)
	o.ASCII, o.Silent = layers.GetBool("ascii"), layers.GetBool("no-notify")
	return o, errors.Join(err, o.BindHostKeys(cmd, layers), o.bindImageFrom(cmd, layers), bindState(&o, cmd, layers, cmd.Flags().Args()))
}

// getPlan does not read the environment: an approval is for one run.
func getPlan(cmd *cobra.Command) string {
	if flag := cmd.Flags().Lookup(planName); flag != nil {
		return flag.Value.String()
	}
	return ""
}

// BindCluster is Bind for verbs whose argument may be the ID of a cluster of this machine, in the place of --dir.
func BindCluster(cmd *cobra.Command, args []string, std Streams) (Options, error) {
	o, err := Bind(cmd, std)
	if o.State != nil { // args are those of the command without what is no ID
		o.ID = strings.Join(args[:min(1, len(args))], "")
	}
	if err != nil || len(args) == 0 || o.State != nil {
		return o, err
	}
	if cmd.Flags().Changed("dir") {
		return o, exit.WithCode(exit.Usage, fmt.Errorf("%s and --dir exclude each other", args[0]))
	}
	folder, err := clusterdir.FindID(args[0])
	o.Dir = folder.Path()
	return o, err
}

// BindFlags returns the values of a command's flags: those that were given, those of EXOSHIFT_ variables, and the defaults.
func BindFlags(cmd *cobra.Command) (*viper.Viper, error) {
	layers := viper.New()
	layers.SetEnvPrefix("EXOSHIFT")
	layers.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	layers.AutomaticEnv()
	if err := layers.BindPFlags(cmd.Flags()); err != nil {
		return nil, fmt.Errorf("read the flags: %w", err)
	}
	return layers, nil
}

// AddAnswersFlag adds --answers and --set.
func AddAnswersFlag(cmd *cobra.Command, usage string) {
	cmd.Flags().StringP("answers", "a", "", usage)
	addSetFlag(cmd)
}

// AddCatalogFlag is short for --set syn.catalogDir=PATH.
func AddCatalogFlag(cmd *cobra.Command) {
	cmd.Flags().String(catalogName, "", "folder with a compiled catalog, instead of compiling it during the installation")
}

// AddDirFlag adds --dir, the folder of a cluster.
func AddDirFlag(cmd *cobra.Command, usage string) { cmd.Flags().StringP("dir", "d", "", usage) }

// AddYesFlag adds the flag that gives the yes that would be asked for.
func AddYesFlag(cmd *cobra.Command, usage string) { cmd.Flags().BoolP("yes", "y", false, usage) }

// AddWaitFlag adds the limit of the wait for the delegation.
func AddWaitFlag(cmd *cobra.Command) {
	cmd.Flags().Duration("wait-for-dns", install.DefaultWaitForDNS, "time limit for the delegation of the domain")
}

// AddReleaseFlags adds what the published openshift-install and its key may be replaced by.
func AddReleaseFlags(cmd *cobra.Command) {
	cmd.Flags().String("openshift-install", "", "openshift-install to run instead of downloading it")
	cmd.Flags().String("release-key", "", "file with the OpenPGP public key that verifies downloads, instead of the publisher's")
}

// AddRenewFlag adds the consent to renew expired certificates, which replaces machines.
func AddRenewFlag(cmd *cobra.Command) {
	cmd.Flags().Bool("renew-certificates", false, "renew certificates that have expired before the cluster was started, and replace the machines that have them")
}

const newKeyName = "approve-new-key"

// AddTrustTokenFlag applies to one run, as a token that is reset has another age.
func AddTrustTokenFlag(cmd *cobra.Command) {
	cmd.Flags().Bool("trust-bootstrap-token", false, "start machines even if the bootstrap token in Lieutenant is older than 24 hours or of unknown age")
}

const planName = "plan"

// AddPlanFlag applies to one run: what it leaves behind when it is interrupted has another plan.
func AddPlanFlag(cmd *cobra.Command) {
	cmd.Flags().String(planName, "", "install only if the plan has this hash (plan_hash of plan -o json); exit code 5 if it has changed")
}

// AddNewKeyFlag applies to one run, and is therefore not part of the command that resumes it.
func AddNewKeyFlag(cmd *cobra.Command) {
	cmd.Flags().StringSlice(newKeyName, nil, "`nodes` that may get a first certificate for one more key, after the usual 4; can be repeated")
}

// AddBootstrapAccessFlag adds whether the bootstrap machine is open to our own address.
func AddBootstrapAccessFlag(cmd *cobra.Command) {
	cmd.Flags().Bool("bootstrap-access", true, "allow SSH, API and journal of the bootstrap machine from this machine's address during the bootstrap")
}

// AddResponseFlags adds what a run does not do about what it finds.
func AddResponseFlags(cmd *cobra.Command) {
	cmd.Flags().Bool(request.NoRepairFlag, false, "do not restore missing rules, records and attachments, and do not start stopped machines: wait until the time limits")
	cmd.Flags().Bool(request.WaitOnFailureFlag, false, "do not stop for findings that this run cannot fix: wait until the time limits")
}

// AddImageFromFlag adds where the node image is copied from.
func AddImageFromFlag(cmd *cobra.Command) {
	cmd.Flags().String(request.ImageFromFlag, reach.Workstation,
		"source of the upload of a missing node image: workstation, or zone (a small instance, for slow uplinks)")
}

func (o *Options) bindImageFrom(cmd *cobra.Command, layers *viper.Viper) error {
	if cmd.Flags().Lookup(request.ImageFromFlag) == nil {
		return nil
	}
	switch from := layers.GetString(request.ImageFromFlag); from {
	case reach.Workstation:
	case reach.Zone:
		o.ImageFromZone = true
	default:
		return exit.WithCode(exit.Usage, fmt.Errorf("--%s %s: must be workstation or zone", request.ImageFromFlag, from))
	}
	return nil
}

// AddScreenFlags adds --output with all outputs, and how the dashboard uses the terminal.
func AddScreenFlags(cmd *cobra.Command) {
	AddOutputFlag(cmd, "output format", OutputAuto, OutputTUI, OutputPlain, OutputJSON)
	cmd.Flags().Bool("ascii", false, "use only ASCII characters")
	cmd.Flags().Bool("no-notify", false, "no bell or notification when an action is needed or the run ends")
}
