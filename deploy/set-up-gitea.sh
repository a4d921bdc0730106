#!/bin/sh
# What the service needs of a Gitea: an account for it with a token, the repository, the webhook. Run again, it makes what is
# missing and leaves the rest; killed anywhere, the next run goes on. The token is in no argument and no output.
set -eu
umask 077
api="${GITEA_API:-http://127.0.0.1:3000/api/v1}"
hook="${WEBHOOK_URL:-http://127.0.0.1:7357/v1/webhooks/gitea}"
secrets="${SECRETS:-/secrets}"
bot="${BOT:-team-memory}"
repository="${REPOSITORY:-memory}"

# Written aside and moved into place, so that no half of a secret is ever taken for one.
keep() {
  cat > "$secrets/$1.new"
  [ -s "$secrets/$1.new" ]
  mv "$secrets/$1.new" "$secrets/$1"
}

# call METHOD PATH [JSON]: prints the status, then the answer.
call() {
  printf 'header = "Authorization: token %s"\n' "$(cat "$secrets/forge-token")" |
    curl --silent --show-error --max-time 30 --config - --write-out '\n%{http_code}' \
      --request "$1" --header 'content-type: application/json' ${3:+--data "$3"} "$api$2"
}

# expect "CODE CODE" WHAT ANSWER: ends where the answer's status is none of these.
expect() {
  status="$(printf '%s' "$3" | tail -n 1)"
  case " $1 " in
    *" $status "*) ;;
    *) echo "Gitea would not $2: it answered $status" >&2; exit 1 ;;
  esac
}

mkdir -p "$secrets"
[ -s "$secrets/webhook-secret" ] || head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' | keep webhook-secret

if ! gitea admin user list | awk '{ print $2 }' | grep -qx "$bot"; then
  gitea admin user create --username "$bot" --email "$bot@localhost.localdomain" \
    --random-password --must-change-password=false > /dev/null
  echo "Made the account $bot"
fi
if ! [ -s "$secrets/forge-token" ]; then
  # The name is another each time: one of before may be there whose token was lost.
  gitea admin user generate-access-token --username "$bot" --token-name "service-$(date +%s)-$$" \
    --scopes write:repository,write:issue,write:user --raw | keep forge-token
  echo "Made a token for $bot"
fi

expect "201 409" "make the repository" \
  "$(call POST /user/repos "{\"name\":\"$repository\",\"private\":true,\"default_branch\":\"main\"}")"

hooks="$(call GET "/repos/$bot/$repository/hooks?limit=50")"
expect 200 "list the webhooks" "$hooks"
if ! printf '%s' "$hooks" | grep -qF "\"$hook\""; then
  secret="$(cat "$secrets/webhook-secret")"
  config="{\"url\":\"$hook\",\"content_type\":\"json\",\"secret\":\"$secret\"}"
  events='["push","create","delete","pull_request","pull_request_review_approved","pull_request_review_rejected"]'
  # Standard input holds the token already; the secret comes by a file, for arguments are seen by others.
  printf '{"type":"gitea","active":true,"events":%s,"config":%s}' "$events" "$config" | keep webhook-request
  expect 201 "make the webhook" "$(call POST "/repos/$bot/$repository/hooks" "@$secrets/webhook-request")"
  rm "$secrets/webhook-request"
  echo "Made the webhook"
fi
echo "Gitea is set up"
