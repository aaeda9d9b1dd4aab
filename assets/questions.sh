answers=$(mktemp /var/tmp/exoshift.XXXXXXXX)
ask() {
  curl -fsS --retry "$2" --retry-all-errors --connect-timeout 10 --max-time 30 -o "$answers.body" "$3"
  code=$?
  echo "$1 $code $(cat "$answers.body")" >>"$answers"
  rm -f "$answers.body"
}
{{- range .Questions}}
ask {{word .ID}} {{.Retries}} {{word .URL}}
{{- end}}
curl -fsS --retry 5 --retry-all-errors --connect-timeout 10 --max-time 300 -T "$answers" {{word .Answers}}
