package cel

import "strings"

// overload is one form of a function or operator.
type overload struct {
	member bool
	params []staticType
	result staticType
}

// parametersOfOverload is how many parameters an overload may have: A and B, which have the numbers -1 and -2 here.
const parametersOfOverload = 2

// signatures has a line for each function: its name and its overloads, separated by semicolons; those of a member begin with a dot.
// A and B stand for any type.
const signatures = `
!_                    bool=bool
-_                    int=int; double=double
_&&_                  bool bool=bool
_||_                  bool bool=bool
_?_:_                 bool A A=A
_==_                  A A=bool
_!=_                  A A=bool
@in                   A list=bool; A map=bool
@not_strictly_false   bool=bool
_[_]                  list int=A; map A=B
_+_                   bytes bytes=bytes; double double=double; duration duration=duration; duration timestamp=timestamp; timestamp duration=timestamp; int int=int; list list=list; string string=string; uint uint=uint
_-_                   double double=double; duration duration=duration; int int=int; timestamp duration=timestamp; timestamp timestamp=duration; uint uint=uint
_*_                   double double=double; int int=int; uint uint=uint
_/_                   double double=double; int int=int; uint uint=uint
_%_                   int int=int; uint uint=uint
size                  bytes=int; .bytes=int; list=int; .list=int; map=int; .map=int; string=int; .string=int
type                  A=type
dyn                   A=dyn
bool                  bool=bool; string=bool
bytes                 bytes=bytes; string=bytes
double                double=double; int=double; string=double; uint=double
duration              duration=duration; int=duration; string=duration
int                   int=int; double=int; duration=int; string=int; timestamp=int; uint=int
string                string=string; bool=string; bytes=string; double=string; duration=string; int=string; timestamp=string; uint=string
timestamp             timestamp=timestamp; int=timestamp; string=timestamp
uint                  uint=uint; double=uint; int=uint; string=uint
contains              .string string=bool
endsWith              .string string=bool
startsWith            .string string=bool
matches               string string=bool; .string string=bool
getFullYear           .timestamp=int; .timestamp string=int
getMonth              .timestamp=int; .timestamp string=int
getDayOfYear          .timestamp=int; .timestamp string=int
getDayOfMonth         .timestamp=int; .timestamp string=int
getDate               .timestamp=int; .timestamp string=int
getDayOfWeek          .timestamp=int; .timestamp string=int
getHours              .timestamp=int; .timestamp string=int; .duration=int
getMinutes            .timestamp=int; .timestamp string=int; .duration=int
getSeconds            .timestamp=int; .timestamp string=int; .duration=int
getMilliseconds       .timestamp=int; .timestamp string=int; .duration=int
`

// ordered are the types that can be compared; numbers can be compared with each other.
const ordered = "bool bool=bool; string string=bool; bytes bytes=bool; timestamp timestamp=bool; duration duration=bool; " +
	"int int=bool; int double=bool; int uint=bool; uint uint=bool; uint double=bool; uint int=bool; double double=bool; double int=bool; double uint=bool"

// parseSignatures returns the overloads of each function.
func parseSignatures() map[string][]overload {
	functions := map[string][]overload{}
	for line := range strings.Lines(signatures) {
		if name, list, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			functions[name] = parseOverloads(list)
		}
	}
	for _, operator := range []string{"<", "<=", ">", ">="} {
		functions["_"+operator+"_"] = parseOverloads(ordered)
	}
	return functions
}

func parseOverloads(list string) (overloads []overload) {
	for signature := range strings.SplitSeq(list, ";") {
		params, result, _ := strings.Cut(strings.TrimSpace(signature), "=")
		params, member := strings.CutPrefix(params, ".")
		o := overload{member: member, result: parseType(result)}
		for param := range strings.FieldsSeq(params) {
			o.params = append(o.params, parseType(param))
		}
		overloads = append(overloads, o)
	}
	return overloads
}

func parseType(name string) staticType {
	a, b := staticType{kind: parameterKind, number: -1}, staticType{kind: parameterKind, number: -2}
	switch name {
	case "A":
		return a
	case "B":
		return b
	case "list":
		return listOf(a)
	case "map":
		return mapOf(a, b)
	case "timestamp":
		return staticType{kind: timestampKind}
	case "duration":
		return staticType{kind: durationKind}
	}
	return staticType{kind: kind(name)}
}
