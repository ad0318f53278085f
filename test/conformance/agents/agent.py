"""An agent of nothing but Python's standard library, for `openclaw-integrity test-agent --form anthropic`.

It speaks to Anthropic's API, stores its messages after each step, and calls its tools one after the other."""

import json
import os
import sys
import urllib.request

with open(os.environ["TEST_AGENT_CASE"], encoding="utf-8") as file:
    case = json.load(file)
path = os.path.join(case["state"], "messages.json")
messages = case.get("history", [])
if os.path.exists(path):
    with open(path, encoding="utf-8") as file:
        messages = json.load(file)


def save():
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(messages, file)
    os.replace(path + ".new", path)


def post(url, body):
    headers = {"content-type": "application/json", "x-api-key": os.environ["ANTHROPIC_API_KEY"]}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    # An agent in a network with a proxy reaches the kit all the same.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request) as response:
        return response.read().decode()


messages.append({"role": "user", "content": case["question"]})
save()
while True:
    tools = [
        {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}
        for tool in case["tools"]
    ]
    body = {"model": "claude-test", "max_tokens": 100, "tools": tools, "messages": messages}
    answer = json.loads(post(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", body))
    messages.append({"role": "assistant", "content": answer["content"]})
    save()
    calls = [block for block in answer["content"] if block["type"] == "tool_use"]
    if not calls:
        print("".join(block.get("text", "") for block in answer["content"]))
        sys.exit(0)
    results = []
    for call in calls:
        text = post(case["tools_url"], {"name": call["name"], "arguments": call["input"]})
        results.append({"type": "tool_result", "tool_use_id": call["id"], "content": text})
    messages.append({"role": "user", "content": results})
    save()
