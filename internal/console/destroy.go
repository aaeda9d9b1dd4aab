package console

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"exoshift/internal/fault"
	"exoshift/internal/text"
	"exoshift/provisioner/destroy"
	"exoshift/state"
)

// Teardown is what is printed about a teardown.
type Teardown struct {
	Cluster, Zone string
	Inventory     destroy.Inventory
	Price         destroy.Price // nil if no prices are known
	PricesOf      string        // their date
	ListCommand   string        // the command that lists every object, if they are only to be counted; "" lists them
}

// hoursPerMonth is the basis of the known prices.
const hoursPerMonth = 720

// PrintDestroyPlan prints what a teardown would delete, grouped by kind in the order of deletion, what it would keep, and what
// it saves. The deletions come last, next to the confirmation prompt.
func PrintDestroyPlan(w io.Writer, t Teardown) {
	if t.ListCommand != "" {
		printExternalActions(w, t)
		fmt.Fprintln(w)
		printInventory(w, t)
		return
	}
	printInventory(w, t)
	printExternalActions(w, t)
}

func printExternalActions(w io.Writer, t Teardown) {
	printList(w, "In Project Syn", t.Inventory.Syn)
	printList(w, "Manual steps", t.Inventory.Actions)
}

func printInventory(w io.Writer, t Teardown) {
	switch {
	case len(t.Inventory.Objects) == 0:
		fmt.Fprintf(w, "Nothing is left of cluster %s in %s.\n", SanitizeLine(t.Cluster), SanitizeLine(t.Zone))
	default:
		fmt.Fprintf(w, "Cluster %s in %s: %s to delete\n", SanitizeLine(t.Cluster), SanitizeLine(t.Zone), text.Plural(len(t.Inventory.Objects), "object"))
		printDeletions(w, t)
	}
	printKept(w, t)
	for _, note := range t.Inventory.Notes {
		fmt.Fprintln(w, wrapText(SanitizeLine("note: "+note), " ", 6))
	}
	printSavings(w, t)
}

// keptPreview limits the kept objects that are printed if objects are only counted.
const keptPreview = 3

func printKept(w io.Writer, t Teardown) {
	kept := t.Inventory.Kept
	if t.ListCommand != "" && len(kept) > keptPreview {
		defer fmt.Fprintf(w, "kept: %d more objects, each with its reason in that list\n", len(kept)-keptPreview)
		kept = kept[:keptPreview]
	}
	for _, one := range kept {
		fmt.Fprintln(w, wrapText(SanitizeLine("kept: "+destroy.Describe(one.Object)+": "+one.Why), " ", 6))
	}
}

func printList(w io.Writer, title string, list []string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	for _, sentence := range list {
		fmt.Fprintf(w, "  - %s\n", wrapText(SanitizeLine(sentence), " ", 4))
	}
}

func printDeletions(w io.Writer, t Teardown) {
	if t.ListCommand == "" {
		printObjects(w, t.Inventory.Objects)
		return
	}
	printCounts(w, t.Inventory.Objects)
	fmt.Fprintf(w, "All of them, with their IDs:\n  %s\n", SanitizeLine(t.ListCommand))
}

func printObjects(w io.Writer, objects []destroy.Found) {
	counts := map[string]int{}
	for _, o := range objects {
		counts[o.Kind]++
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	kind := ""
	for _, o := range objects {
		if o.Kind != kind {
			kind = o.Kind
			fmt.Fprintf(table, "\n%s\n", text.Plural(counts[kind], destroy.FormatKind(kind)))
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\tby %s\n", SanitizeLine(cmp.Or(o.Name, o.ID)), SanitizeLine(o.Detail), SanitizeLine(getIdentifier(o.Object)), SanitizeLine(describeProof(o)))
	}
	fmt.Fprintln(table)
	_ = table.Flush() // errors of the writer are ignored
}

func describeProof(o destroy.Found) string {
	if o.Through == "" {
		return o.Proof
	}
	return o.Proof + " of " + o.Through
}

// getIdentifier returns an object's ID unless it repeats its name.
func getIdentifier(o state.Object) string {
	if o.ID == o.Name {
		return ""
	}
	return o.ID
}

func printSavings(w io.Writer, t Teardown) {
	if t.Price == nil || len(t.Inventory.Objects) == 0 {
		return
	}
	perHour, unknown := t.Inventory.HourlyCost(t.Price)
	saved := fmt.Sprintf("saves about %.2f an hour, %.0f a month (an estimate with the prices of %s, without the disks of machines", perHour, perHour*hoursPerMonth, t.PricesOf)
	if unknown > 0 {
		saved += fmt.Sprintf(", without %s of unknown price", text.Plural(unknown, "object"))
	}
	fmt.Fprintln(w, wrapText(saved+")", " ", 6))
}

// PrintDestroySummary prints the result of a teardown, or the objects left and why. again is the command that resumes it.
func PrintDestroySummary(w io.Writer, t Teardown, failure error, again string) {
	var left *destroy.LeftoverError
	switch {
	case failure == nil:
		fmt.Fprintln(w)
		PrintDestroyPlan(w, Teardown{Cluster: t.Cluster, Zone: t.Zone, Inventory: destroy.Inventory{Kept: t.Inventory.Kept, Actions: t.Inventory.Actions}})
		return
	case errors.As(failure, &left):
		fmt.Fprintf(w, "\nCluster %s is not deleted: %s left\n", SanitizeLine(t.Cluster), text.Plural(len(left.Left), "object"))
		printLeftovers(w, left.Left)
	case errors.Is(failure, context.Canceled):
		fmt.Fprintf(w, "\nCluster %s is not deleted: stopped\n", SanitizeLine(t.Cluster))
	default:
		fmt.Fprintf(w, "\nCluster %s is not deleted.\n  cause        %s\n", SanitizeLine(t.Cluster), wrapValue(SanitizeLine(failure.Error()), " "))
	}
	if hint := fault.HintOf(failure); hint != "" {
		fmt.Fprintf(w, "  next         %s\n", wrapValue(SanitizeLine(hint), " "))
	}
	fmt.Fprintf(w, "Resume with:\n  %s\n", SanitizeLine(again))
}

func printLeftovers(w io.Writer, left []destroy.Leftover) {
	for _, one := range left {
		fmt.Fprintf(w, "  left         %s\n  cause        %s\n", SanitizeLine(destroy.Describe(one.Object)), wrapValue(SanitizeLine(one.Reason()), " "))
	}
}

type inventoryLine struct {
	Type    string       `json:"type"` // inventory
	Objects []objectLine `json:"objects"`
	Kept    []objectLine `json:"kept,omitempty"`
	Notes   []string     `json:"notes,omitempty"`
	Syn     []string     `json:"project_syn,omitempty"` // changes in Project Syn
	People  []string     `json:"people,omitempty"`      // manual actions left
}

type objectLine struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	ID      string `json:"id"`
	Proof   string `json:"proof,omitempty"`   // how ownership is proven
	Through string `json:"through,omitempty"` // the object that the proof is of, if this one is only attached to it
	// FoundBy is Proof in the terms of earlier versions: label, name, journal or cluster.
	FoundBy []string `json:"found_by"`
	Reason  string   `json:"reason,omitempty"` // why it is kept, or still exists
}

// mapProof returns the terms of earlier versions.
func mapProof(o destroy.Found) []string {
	switch {
	case o.Proof == "":
		return []string{}
	case o.Through != "":
		return []string{"attached"}
	case o.Proof == destroy.ByName, o.Proof == destroy.ByOwnerMark:
		return []string{"name"}
	case o.Proof == destroy.ByBothSides:
		return []string{"cluster"}
	}
	return []string{o.Proof}
}

// WriteInventoryJSON writes an inventory as one JSON object on a line. failure may hold why objects still exist.
func WriteInventoryJSON(w io.Writer, inventory destroy.Inventory, failure error) error {
	line := inventoryLine{Type: "inventory", Objects: []objectLine{}, Notes: inventory.Notes, Syn: inventory.Syn, People: inventory.Actions}
	reasons := map[string]string{}
	var left *destroy.LeftoverError
	if errors.As(failure, &left) {
		for _, one := range left.Left {
			reasons[one.Kind+" "+one.ID] = one.Reason()
		}
	}
	for _, o := range inventory.Objects {
		line.Objects = append(line.Objects, newObjectLine(o, reasons[o.Kind+" "+o.ID]))
	}
	for _, kept := range inventory.Kept {
		line.Kept = append(line.Kept, newObjectLine(kept.Found, kept.Why))
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(line)
}

func newObjectLine(o destroy.Found, reason string) objectLine {
	return objectLine{Kind: o.Kind, Name: o.Name, ID: o.ID, Proof: o.Proof, Through: o.Through, FoundBy: mapProof(o), Reason: reason}
}

// columns is the assumed width of a terminal.
const columns = 80

func printCounts(w io.Writer, objects []destroy.Found) {
	var kinds []string
	names := map[string][]string{}
	for _, o := range objects {
		if names[o.Kind] == nil {
			kinds = append(kinds, o.Kind)
		}
		names[o.Kind] = append(names[o.Kind], SanitizeLine(cmp.Or(o.Name, o.ID)))
	}
	rows := make(cells, len(kinds))
	for i, kind := range kinds {
		rows[i] = []string{text.Plural(len(names[kind]), destroy.FormatKind(kind)), ""}
	}
	front := 0
	for _, line := range rows.formatLines("  ") {
		front = max(front, len(line)+2)
	}
	for i, kind := range kinds {
		rows[i][1] = joinNames(names[kind], columns-front)
	}
	fmt.Fprintln(w, strings.Join(rows.formatLines("  "), "\n"))
}

// joinNames joins as many names as fit into room, at least one, and counts the rest.
func joinNames(names []string, room int) string {
	text := names[0]
	for i := 1; i < len(names); i++ {
		more := fmt.Sprintf(" and %d more", len(names)-i-1)
		if i == len(names)-1 {
			more = ""
		}
		if len(text)+len(", ")+len(names[i])+len(more) > room {
			return text + fmt.Sprintf(" and %d more", len(names)-i)
		}
		text += ", " + names[i]
	}
	return text
}
