package architecture

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestImports_FollowTable(t *testing.T) { report(t, wrongImports(ours(t))) }

func TestLibraries_ImportedByTheirPackage(t *testing.T) { report(t, wrongDoors(ours(t))) }

func TestTables_AreParsed(t *testing.T) {
	tables := ours(t).tables
	if len(tables.mayImport) < 10 || len(tables.doors) < 5 {
		t.Errorf("docs/architecture.md: only %d rooms and %d doors were understood", len(tables.mayImport), len(tables.doors))
	}
}

// wrongImports judges production code; tests may import anything.
func wrongImports(p project) (violations []string) {
	for _, file := range p.sources {
		if file.test {
			continue
		}
		room, listed := p.tables.room(file.dir)
		if !listed {
			violations = append(violations, file.path+": the import table of docs/architecture.md has no row for this package")
			continue
		}
		for _, imported := range file.imports() {
			if target, own := strings.CutPrefix(imported, module); own && !p.tables.allows(room, target) {
				violations = append(violations, fmt.Sprintf("%s: %s may not import %s", file.path, room, target))
			}
		}
	}
	return violations
}

func (t tables) allows(room, target string) bool {
	targetRoom, listed := t.room(target)
	allowed := slices.Concat(t.mayImport["any"], t.mayImport[room])
	for _, value := range allowed {
		if except, is := strings.CutPrefix(value, "!"); is && within(target, except) {
			return false
		}
	}
	return listed && (targetRoom == room || slices.Contains(allowed, targetRoom)) || slices.Contains(allowed, "*")
}

func wrongDoors(p project) (violations []string) {
	for _, file := range p.sources {
		if file.test {
			continue
		}
		for _, imported := range file.imports() {
			for library, rooms := range p.tables.doors {
				if within(imported, library) && !slices.ContainsFunc(rooms, func(room string) bool { return within(file.dir, room) }) {
					violations = append(violations, fmt.Sprintf("%s: %s is imported by %s only",
						file.path, library, strings.Join(rooms, " and ")))
				}
			}
		}
	}
	return violations
}

// within tells whether a path is folder or below it.
func within(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }
