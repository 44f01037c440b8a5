/** How an integrator reaches every state and every error without the provider, in Markdown. */
export const testing = `
## Testing

\`npm start\` runs everything on one machine, with a simulator in the place of the provider. \`.data/dev.json\` names the API
(\`baseUrl\`), the simulator (\`simulatorUrl\`) and keys of demonstration organizations. No message leaves the machine, and private
addresses are allowed as webhooks. What follows asks the simulator by HTTP; \`$SIM\` is its \`simulatorUrl\`.

### Magic recipients

A message to any other number is accepted, sent, delivered within 0.1 s and, in the local run, read after two seconds
(\`SIMULATOR_READ_DELAY_MS\`; 0: at once). A knob leaves it DELIVERED, as said under the states. The numbers below decide themselves
what becomes of a message; bulk sends meet them too.

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

Or \`npm run sim -- inbound --from 4915123450001 --text Hello\`. \`{"from":…,"text":"STOP"}\` opts out by keyword, \`START\` removes it. \`"type"\` takes \`image\`, \`button\`, \`interactive\`, \`reaction\`,
\`location\` and others; \`{"userId":"US.13","text":"Hi"}\` is a sender without a number; \`{"from":…,"newPhone":…}\` a change of number.
With several lines, \`"displayPhone"\` or \`"phoneNumberId"\` names the one that is written to.

### Callbacks late, twice and reversed

- Late: \`{"callbackDelayMs":{"sent":20,"delivered":60000}}\`; \`null\` means never.
- Twice: \`{"duplicateRate":1}\`. In random order: \`{"reorder":true}\`.
- By hand: \`curl $SIM/_sim/statuses -H 'content-type: application/json' -d '{"statuses":[{"reference":"<message id>","status":"failed","errors":[{"code":131049}]}]}'\`.

Whatever the order, a message ends the same, and each event is emitted at most once. \`PUT $SIM/_sim/knobs/reset\` restores all knobs.

### Every error

The second demonstration organization has the plan STARTER, 300 requests a minute; *application* is the site under \`/app\`.

| code | a way to it |
|---|---|
| \`INVALID_PHONE\` | a send with \`"to": "+1201"\` |
| \`VALIDATION_FAILED\` | a required field left out |
| \`MALFORMED_BODY\` | JSON without its last brace |
| \`UNSUPPORTED_MEDIA_TYPE\` | \`Content-Type: text/plain\` |
| \`INVALID_TRANSITION\` | \`{"status":"ARCHIVED"}\` for a conversation that is OPEN |
| \`TEMPLATE_NOT_APPROVED\` | a bulk send of the template \`loyalty_update\`, \`en_US\`, which is PENDING |
| \`TEMPLATE_VARIABLES_MISMATCH\` | a bulk send of \`order_confirmation\`, \`en_US\`, without variables |
| \`UPSTREAM_REJECTED\` | a send to \`+12015550100\` |
| \`UNAUTHORIZED\` | a letter of the key changed; in the application, no session |
| \`PAYMENT_REQUIRED\` | a bulk send with the key of the second organization; \`npm run admin -- subscription set Globex PAST_DUE\`, then any send |
| \`INSUFFICIENT_SCOPE\` | a send with a key of \`npm run admin -- api-keys create Acme --label narrow --scopes messages:read\` |
| \`CONTACT_OPTED_OUT\` | a send to \`+12015550105\`, or to a number with an opt-out |
| \`UPSTREAM_NOT_CONNECTED\` | a send from a line whose token is refused, as said below |
| \`CHANNEL_NOT_FOUND\` | a send with \`"messagingChannelId": "czzzzzzzzzzzzzzzzzzzzzzzz"\` |
| \`CONTACT_NOT_FOUND\`, \`CONVERSATION_NOT_FOUND\`, \`MESSAGE_NOT_FOUND\`, \`OPT_OUT_NOT_FOUND\`, \`TEMPLATE_NOT_FOUND\`, \`JOB_NOT_FOUND\` | that id in the path |
| \`API_KEY_NOT_FOUND\`, \`WEBHOOK_NOT_FOUND\`, \`DELIVERY_NOT_FOUND\` | that id in the path, in the application |
| \`NOT_FOUND\` | \`GET /v1/nothing\` |
| \`METHOD_NOT_ALLOWED\` | \`DELETE /v1/messages\` |
| \`REQUEST_TIMEOUT\` | a body that is shorter than its \`Content-Length\`, on a connection that is kept open |
| \`CONFLICT\` | a send with the \`Idempotency-Key\` of an earlier one and another text |
| \`PAYLOAD_TOO_LARGE\` | a send with a body of more than 1 MiB |
| \`URI_TOO_LONG\` | a query of 9,000 characters |
| \`HEADERS_TOO_LARGE\` | a header of 17,000 characters |
| \`RATE_LIMITED\` | 400 requests at once with the key of the second organization |
| \`SERVICE_UNAVAILABLE\` | \`kill -STOP\` for the process of \`contacts\` that \`dev.json\` names, then \`GET /v1/contacts\`; \`kill -CONT\` ends it |
| \`INTERNAL\` | none is known: it would be a fault of the service |
| \`FORBIDDEN\` | in the application, \`GET /app/api/api-keys\` as a MEMBER |
| \`SECOND_FACTOR_REQUIRED\`, \`SECOND_FACTOR_INVALID\` | in the application, a sign-in of a person with a second factor: without its code, with a wrong one |
| \`SECOND_FACTOR_ENROLMENT_REQUIRED\` | in the application, an owner requires a second factor of the organization; then any page as a person without one |

- Of the provider: \`{"errorRate":{"131026":0.5}}\` refuses half of the sends with a code.
- 403 \`UPSTREAM_NOT_CONNECTED\`: \`npm run sim -- refuse-token --line <phone of the channel>\` has the provider refuse the token of
  one line; the next send is answered so, and the channel is DISCONNECTED. \`accept-token\` takes it again, and the channel is
  connected again by a token that the provider takes, given in the application; that of a demonstration organization is its
  \`accessToken\` in \`.data/demo-keys.json\`. A line with a token of your own, to connect as
  a channel: \`npm run sim -- add-line --line 12015550177 --token my-token\` prints the ids that the application
  asks for. Such a line is there until the next \`npm start\`, which sets all lines: add it again then.

The simulator keeps its port over restarts; \`SIMULATOR_PORT\` sets it.

### Webhooks

\`npm run listen\` registers a local receiver for the first demonstration organization and prints what arrives. Attempts and their
answers are in the application, which also sends a test and replays what was missed.
`.trim();
