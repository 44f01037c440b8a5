"""Calls each operation of the generated Python client that the guide does not, and each list in all its pages.

Every answer is parsed into its model: a word, a date or a shape that the description does not know raises here.
"""

import importlib
import os
import pkgutil

import switchboard_api.api
from switchboard_api import AuthenticatedClient
from switchboard_api.models import SendTemplateBody

client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["API_KEY"], raise_on_unexpected_status=True)
operations = {
    name.rsplit(".", 1)[-1]: importlib.import_module(name)
    for _, name, is_package in pkgutil.walk_packages(switchboard_api.api.__path__, "switchboard_api.api.")
    if not is_package
}
# By the guide.
called = {"send_message", "send_template", "change_conversation", "create_opt_out", "upsert_contact", "delete_opt_out"}


def call(name, status=200, **arguments):
    """Calls an operation and returns what its answer was parsed into."""
    answer = operations[name].sync_detailed(client=client, **arguments)
    assert answer.status_code == status, (name, answer.status_code, answer.content)
    assert status == 204 or answer.parsed is not None, name
    called.add(name)
    return answer.parsed


def walk(name, **arguments):
    """Reads up to five pages of a list."""
    items, cursor = [], {}
    for _ in range(5):
        page = call(name, limit=3, **arguments, **cursor)
        items += page.items
        if not page.next_cursor:
            break
        cursor = {"cursor": page.next_cursor}
    return items


call("ping"), call("get_description"), call("list_channels")
call("get_usage"), call("get_delivery"), call("get_template_use")
for one in ("message:find_messages", "conversation:list_conversations", "contact:list_contacts", "template:list_templates"):
    kind, lister = one.split(":")
    for item in walk(lister):
        assert call(f"get_{kind}", id=item.id).id == item.id
assert call("get_message_timeline", id=walk("find_messages")[0].id).items
walk("list_messages", id=walk("list_conversations")[0].id)
walk("list_events")

body = {"to": "+14155552731"}
bulk = {"template": {"name": "welcome", "language": "en_US"}, "recipients": [body], "scheduledAt": os.environ["LATER"]}
job = operations["send_template"].sync(client=client, body=SendTemplateBody.from_dict(bulk))
for verb, status in (("pause", "PAUSED"), ("resume", "SCHEDULED"), ("cancel", "CANCELED")):
    assert call(f"{verb}_job", id=job.id).status == status, verb
assert call("get_job", id=job.id).total == 1
assert [one.to for one in walk("list_recipients", id=job.id)] == [body["to"]]
walk("list_jobs")

models = importlib.import_module("switchboard_api.models")
contact = operations["upsert_contact"].sync(client=client, body=models.UpsertContactBody(phone="+14155552732"))
opt_out = operations["create_opt_out"].sync(client=client, body=models.CreateOptOutBody(contact_id=contact.id))
assert call("get_opt_out", id=opt_out.id).contact_id == contact.id
walk("list_opt_outs")
call("erase_contact", id=contact.id, status=204)

# An operation that is new is called here, or by the guide.
assert set(operations) == called, set(operations) ^ called
print(f"{len(called)} operations")
