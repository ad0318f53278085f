#!/usr/bin/env bash
# Pushes the branches of a bundle of `npm run port -- --watch`, each with a pull request: port-propose.sh <bundle>.
# The bundle comes from a job that ran foreign code: a branch that changes anything else than a port does is refused.
set -euo pipefail
bundle=$1
base=$(git rev-parse HEAD)
main=$(git rev-parse --abbrev-ref HEAD)
failed=0

git fetch --quiet --no-tags "$bundle" 'refs/heads/port/*:refs/port/*'
while read -r ref; do
  release=${ref#refs/port/}
  if ! [[ $release =~ ^20[0-9]{2}\.[0-9]{1,2}\.[0-9]{1,3}(-[0-9]{1,2})?$ ]]; then
    echo "refused: a branch of the name $(printf %q "$ref")" >&2
    failed=1
    continue
  fi
  # A reviewer reads the sum of the commits; a merge of them brings each into the history, with what a later one took back.
  if [[ -n $(git rev-list --min-parents=2 "$base..$ref") ]]; then
    echo "refused: port/$release has a merge" >&2
    failed=1
    continue
  fi
  # Regular files only: a link could point out of the repository.
  others=$(git log --format= --raw --root --no-renames --no-abbrev --no-ext-diff "$base..$ref" |
    awk -F '\t' 'NF > 0 { split($1, meta, " ") }
      NF > 0 && (meta[2] !~ /^(100644|000000)$/ || $2 !~ /^(releases\/releases\.json|UPSTREAM\.md|patches\/[^\/]+\.patch|results\/port\/[^\/]+\.md)$/) && !told[$2]++ { print $2 }')
  if [[ -n $others ]]; then
    echo "refused: port/$release changes $(printf %q "$others")" >&2
    failed=1
    continue
  fi
  git push --quiet origin "$ref:refs/heads/port/$release"
  git show "$ref:results/port/$release.md" > body.md
  draft=()
  title="Support OpenClaw $release"
  if git diff --quiet "$base...$ref" -- releases/releases.json; then
    draft=(--draft)
    title="OpenClaw $release needs a hand"
  fi
  gh pr create --base "$main" --head "port/$release" --title "$title" --body-file body.md "${draft[@]}"
done < <(git for-each-ref --format='%(refname)' refs/port)
exit "$failed"
