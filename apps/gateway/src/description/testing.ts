/** How an integrator reaches every state and every error without the provider, in Markdown. */
export const testing = `
## Testing

\`npm start\` runs everything on one machine, with a simulator in the place of the provider. \`.data/dev.json\` names the API
(\`baseUrl\`), the simulator (\`simulatorUrl\`) and keys of demonstration organizations. No message leaves the machine, and private
addresses are allowed as webhooks. What follows asks the simulator by HTTP; \`$SIM\` is its \`simulatorUrl\`.

### Magic recipients

A message to any other number is accepted, sent, delivered within 0.1 s and, in the local run, read after two seconds
(\`SIMULATOR_READ_DELAY_MS\`; 0 leaves it DELIVERED). The numbers below decide themselves what becomes of a
message; bulk sends meet them too.

| \`to\` | the send answers | and then |
|---|---|---|
| \`+12015550100\` | 400 \`UPSTREAM_REJECTED\`, \`X-Upstream-Code: 131026\` | FAILED: not reachable |
| \`+12015550101\` | 400 \`UPSTREAM_REJECTED\`, \`131047\` | FAILED: more than 24 hours since the person wrote |
| \`+12015550102\` | 200, \`upstreamMessageId: null\` | refused twice (130429, rate), QUEUED for some seconds, then SENT |
| \`+12015550103\` | 200, \`upstreamMessageId: null\` | refused twice (131056, this recipient's rate), then SENT |
| \`+12015550104\` | 200, \`upstreamMessageId: null\` | QUEUED, outcome unknown (131000); after 24 hours, or by the command below, FAILED \`UPSTREAM_OUTCOME_UNKNOWN\` |
| \`+12015550105\` | 403 \`CONTACT_OPTED_OUT\` | FAILED; the opt-out is recorded, later sends are refused without asking |
| \`+12015550106\` | 400 \`UPSTREAM_REJECTED\`, \`100\` | FAILED: a parameter is invalid |
| \`+12015550107\` | 200, \`upstreamMessageId: null\` | QUEUED, outcome unknown (500 without a body), as 104 |
| \`+12015550108\` | 200, \`upstreamMessageId: null\` | taken, but the answer was cut: a callback settles it, SENT, DELIVERED |
| \`+12015550109\` | 200 after 5 s, \`upstreamMessageId: null\` | the provider answers after 10 s, SENT, DELIVERED |
| \`+12015550110\` | 200 | SENT, then FAILED with the code 131049 |
| \`+12015550111\` | 200 | READ without a report of the delivery: DELIVERED and READ are both emitted, in order |
| \`+12015550112\` | 200 | its reports come twice and in reverse; the message ends the same |
| \`+12015550113\` | 200, \`upstreamMessageId: null\` | taken, but the answer was cut and no report ever comes: QUEUED, outcome unknown, as 104 |

### Every state of a message

- **QUEUED**: 102, 103, 104, 107, 113; or the provider away: \`curl -X PUT $SIM/_sim/knobs -H 'content-type: application/json' -d '{"down":true}'\`,
  and \`{"down":false}\` later. What provably never left is sent then.
- **SENT, DELIVERED, READ**: any other number, and 111. \`{"callbackDelayMs":{"read":null}}\` as knob: never read; \`{"read":100}\`: sooner.
- **FAILED**: 100, 101, 106 at once, 110 afterwards; 104, 107 and 113 with \`UPSTREAM_OUTCOME_UNKNOWN\` within seconds of
  \`npm run admin -- dispatch give-up <message id>\`, which ends the wait of 24 hours.
- **RECEIVED**: an inbound message, below.

### Inbound messages

\`\`\`sh
curl $SIM/_sim/inbound -H 'content-type: application/json' -d '{"from":"4915123450001","name":"Ada","text":"Hello"}'
\`\`\`

Or \`npm run sim -- inbound --from 4915123450001 --text Hello\`. \`{"from":…,"text":"STOP"}\` opts out by keyword, \`START\` lifts it. \`"type"\` takes \`image\`, \`button\`, \`interactive\`, \`reaction\`,
\`location\` and others; \`{"userId":"US.13","text":"Hi"}\` is a sender without a number; \`{"from":…,"newPhone":…}\` a change of number.
With several lines, \`"displayPhone"\` or \`"phoneNumberId"\` names the one that is written to.

### Callbacks late, twice and reversed

- Late: \`{"callbackDelayMs":{"sent":20,"delivered":60000}}\`; \`null\` means never.
- Twice: \`{"duplicateRate":1}\`. In random order: \`{"reorder":true}\`.
- By hand: \`curl $SIM/_sim/statuses -H 'content-type: application/json' -d '{"statuses":[{"reference":"<message id>","status":"failed","errors":[{"code":131049}]}]}'\`.

Whatever the order, a message ends the same, and each event is emitted at most once. \`PUT $SIM/_sim/knobs/reset\` restores all knobs.

### Every error

- 400 \`INVALID_PHONE\`: \`"to": "+1201"\`. 400 \`VALIDATION_FAILED\`: leave a required field out. 400 \`MALFORMED_BODY\`: cut the JSON. 400
  \`TEMPLATE_VARIABLES_MISMATCH\`: too few variables. 400 \`INVALID_TRANSITION\`: archive a conversation that is open.
- 401: change a letter of the key. 403 \`INSUFFICIENT_SCOPE\`: a key with other scopes. 403 \`CONTACT_OPTED_OUT\`: record an opt-out first.
- 402 \`PAYMENT_REQUIRED\`: the demonstration organizations have different plans; a trial has no bulk sends.
- 404: an id of the right form that does not exist. 409 \`CONFLICT\`: an \`Idempotency-Key\` again, with another body.
- 429 \`RATE_LIMITED\`: more requests than the plan allows.
- Of the provider: \`{"errorRate":{"131026":0.5}}\` refuses half of the sends with a code.
- 403 \`UPSTREAM_NOT_CONNECTED\`: \`npm run sim -- refuse-token --line <phone of the channel>\` has the provider refuse the token of
  one line; the next send is answered so, and the channel is DISCONNECTED. \`accept-token\` takes it again, and the channel is
  connected again by a token that the provider takes, given in the application. A line with a token of your own, to connect as
  a channel: \`npm run sim -- add-line --line 12015550177 --token my-token\` prints the ids that the application
  asks for. Such a line is there until the simulator ends: add it again after a new start.

The simulator keeps its port over restarts; \`SIMULATOR_PORT\` sets it.

### Webhooks

\`npm run listen\` registers a local receiver for the first demonstration organization and prints what arrives. Attempts and their
answers are in the application, which also sends a test and replays what was missed.
`.trim();
