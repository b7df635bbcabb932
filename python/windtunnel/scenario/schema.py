"""The JSON schema of scenario files, including the short names and the strings with units."""

from __future__ import annotations

from typing import Any

from windtunnel.scenario import changes, hops, hosts, losses, traffic
from windtunnel.scenario.arrivals import Arrivals
from windtunnel.scenario.flows import Flow
from windtunnel.scenario.links import Bottleneck, Hop
from windtunnel.scenario.models import Scenario
from windtunnel.scenario.sessions import Sessions
from windtunnel.scenario.table import Table

_QUEUE = {
    "anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}],
    "description": "queue limit: packets (175), 20%bdp, 50ms or 256kB",
}


def json_schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a scenario file."""
    schema = Scenario.model_json_schema(mode="validation")
    definitions = schema["$defs"]
    _short(schema, Scenario)
    for link in (Bottleneck, Hop):
        _link(definitions, link)
    _short(definitions["Flow"], Flow)
    _short(definitions["Host"], hosts.Host)
    definitions["Flow"]["properties"]["window"] = {
        "anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}],
        "description": "cap on the window: packets (500), or bytes (4MB)",
    }
    for model in losses.MODELS.values():
        _short(definitions[model.__name__], model)
    for kind in changes.CHANGES.values():
        _short(definitions[kind.__name__], kind)
    definitions["QueueStep"]["properties"]["queue"] = _QUEUE
    hop_text = {"type": "string", "description": f"a hop on one line: {hops.TEXT}"}
    schema["properties"]["hops"]["items"] = {"anyOf": [{"$ref": "#/$defs/Hop"}, hop_text]}
    _short(definitions["Udp"], traffic.Udp)
    definitions["Udp"]["required"] = sorted({*definitions["Udp"].get("required", ()), "kind"})
    source_text = {"type": "string", "description": f"a source on one line: {traffic.TEXT}"}
    schema["properties"]["traffic"]["items"] = {"anyOf": [{"$ref": "#/$defs/Udp"}, source_text]}
    flow_text = {"type": "string", "description": "a flow on one line: ALG[:variant][,key=value...]"}
    schema["properties"]["flows"]["items"] = {"anyOf": [{"$ref": "#/$defs/Flow"}, flow_text]}
    sources: dict[str, type[Arrivals | Sessions]] = {"arrivals": Arrivals, "sessions": Sessions}
    for name, kind in sources.items():
        _short(definitions[kind.__name__], kind)
        text = {"type": "string", "description": f"a source on one line: {kind.TEXT}"}
        schema["properties"][name]["items"] = {"anyOf": [{"$ref": f"#/$defs/{kind.__name__}"}, text]}
    law_text = {"type": "string", "description": "a law as LAW:MEAN[:SHAPE], as exponential:1s"}
    for field in ("objects", "size_bytes", "think_s", "sizes", "think"):
        law = definitions["Sessions"]["properties"][field]
        definitions["Sessions"]["properties"][field] = {**law, "anyOf": [{"$ref": law.pop("$ref")}, law_text]} if "$ref" in law else law
    one_text = {"type": ["string", "number"], "description": "a law as LAW:MEAN[:SHAPE], or one size or time that all have"}
    for field in ("response_bytes", "request_bytes", "think_s", "response", "request", "think"):
        definitions["Flow"]["properties"][field]["anyOf"].append(one_text)
    schema["required"].remove("flows")
    schema["anyOf"] = [{"required": [name], "properties": {name: {"minItems": 1}}} for name in ("flows", "arrivals", "sessions")]
    for name in ("Flow", "Arrivals", "Sessions"):
        definitions[name]["properties"]["parameters"]["additionalProperties"] = {"type": ["number", "string", "boolean"]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Windtunnel scenario", **_described(schema)}


def _link(definitions: dict[str, Any], link: type[Bottleneck]) -> None:
    """Add to a link's definition its short names, and the lines that stand for tables in its lists."""
    definition = definitions[link.__name__]
    _short(definition, link)
    properties: dict[str, Any] = definition["properties"]
    properties["queue"] = _QUEUE
    properties["trace"] = {"type": "string", "description": "file of a trace in mahimahi's format"}
    lines = {"losses": f"a model on one line: {losses.TEXT}", **dict.fromkeys(changes.CHANGES, "the same as AT=VALUE")}
    for name, description in lines.items():
        entries = properties[name]
        entries["items"] = {"anyOf": [entries["items"], {"type": "string", "description": description}]}


def _short(schema: dict[str, Any], model: type[Table]) -> None:
    properties: dict[str, Any] = schema["properties"]
    for short, long in model.SHORT.items():
        properties[short] = {**properties[long], "title": short.capitalize()}
    required = set(schema.get("required", []))
    for short, long in model.SHORT.items():
        if long in required:
            schema["required"] = [name for name in schema["required"] if name != long]
            schema.setdefault("allOf", []).append({"anyOf": [{"required": [long]}, {"required": [short]}]})


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    """Keep the first line of each model's docstring as its description."""
    for part in (schema, *schema["$defs"].values()):
        if "description" in part:
            part["description"] = part["description"].splitlines()[0]
    return {key: value for key, value in schema.items() if key != "title"}
