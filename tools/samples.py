"""Generates code samples for each operation from the API's description.

Each sample runs as it is, with the token in the environment variable ``TOKEN``, and uses the ids
of the description's examples. Samples of operations that any token may call have no ``Profile``
header, because it would be refused with a customer or session token.
"""

import json
import re
import shlex
from typing import Any
from urllib.parse import urlencode

ADDRESS = "http://127.0.0.1:8000"
"""The service's address in the samples. The page at /docs replaces it with its own."""

Node = Any  # a part of the description


class _Sample:
    """The input for all samples of one operation."""

    def __init__(self, document: Node, path: str, method: str, item: Node) -> None:
        self.document, self.method, operation = document, method.upper(), item[method]
        parameter_nodes = [*item.get("parameters", ()), *operation.get("parameters", ())]
        parameters = [self._resolved(parameter) for parameter in parameter_nodes]
        required: dict[str, dict[str, str]] = {"path": {}, "query": {}, "header": {}}
        for parameter in parameters:
            if parameter["required"]:
                example = parameter["example"]
                words = example if isinstance(example, list) else [example]
                required[parameter["in"]][parameter["name"]] = ",".join(map(str, words))
        query = urlencode(required["query"], safe=",@")
        self.api = ADDRESS + document["servers"][0]["url"]
        self.path = path.format_map(required["path"]) + (f"?{query}" if query else "")
        security = operation.get("security", document["security"])
        self.has_token = bool(security and security[0])
        profiles = [
            parameter["example"] for parameter in parameters if parameter["name"] == "Profile"
        ]
        in_body = operation["operationId"] == "createProfileToken"
        is_admin = operation.get("x-admin-token", False)
        self.profile = profiles[0] if profiles and is_admin and not in_body else None
        self.headers = required["header"]
        if self.has_token and self.profile:
            self.headers |= {"Profile": self.profile}
        self.body = None
        if "requestBody" in operation:
            [content] = operation["requestBody"]["content"].values()
            self.body = next(iter(content["examples"].values()))["value"]
            self.headers |= {"Content-Type": "application/json"}
        self.has_answer = "204" not in operation["responses"]
        self.python = operation.get("x-python-sample")

    def _resolved(self, node: Node) -> Node:
        if "$ref" in node:
            return self.document["components"]["parameters"][node["$ref"].rpartition("/")[2]]
        return node

    def curl(self) -> str:
        method_option = f" -X {self.method}" if self.method != "GET" else ""
        lines = [f"curl --fail-with-body{method_option}", shlex.quote(self.api + self.path)]
        lines += ['-H "Authorization: Bearer $TOKEN"'] if self.has_token else []
        lines += [f"-H {shlex.quote(f'{name}: {value}')}" for name, value in self.headers.items()]
        if self.body is not None:
            text = json.dumps(self.body, ensure_ascii=False, separators=(",", ":"))
            lines += [f"-d {shlex.quote(text)}"]
        return " \\\n  ".join(lines)

    def typescript(self) -> str:
        headers = ["    Authorization: `Bearer ${process.env.TOKEN}`,\n"] if self.has_token else []
        headers += [
            f"    {name if name.isalpha() else json.dumps(name)}: {json.dumps(value)},\n"
            for name, value in self.headers.items()
        ]
        options = f'  method: "{self.method}",\n' if self.method != "GET" else ""
        options += f"  headers: {{\n{''.join(headers)}  }},\n" if headers else ""
        if self.body is not None:
            text = json.dumps(self.body, ensure_ascii=False, indent=2).replace("\n", "\n  ")
            text = re.sub(r'^( *)"([A-Za-z]\w*)":', r"\1\2:", text, flags=re.MULTILINE)
            options += f"  body: JSON.stringify({text}),\n"
        options = f", {{\n{options}}}" if options else ""
        text = f"const api = {json.dumps(self.api)};\n"
        text += f"const response = await fetch(`${{api}}{self.path}`{options});\n"
        text += "if (!response.ok) throw new Error(await response.text());\n"
        return text + ("console.log(await response.json());\n" if self.has_answer else "")

    def with_client(self) -> str:
        names = {"Wishwell", *re.findall(r"\b[A-Z]\w+(?=\()", self.python)}
        arguments = [f'"{ADDRESS}"', 'os.environ["TOKEN"]']
        arguments += [f'profile="{self.profile}"'] if self.profile else []
        times = "from datetime import UTC, datetime\n" if "datetime(" in self.python else ""
        text = f"import os\n{times}\nfrom wishwell_client import {', '.join(sorted(names))}\n\n"
        text += "".join(
            ["with Wishwell(\n", *(f"    {argument},\n" for argument in arguments), ") as api:\n"]
        )
        return text + "".join(f"    {line}\n" for line in self.python.splitlines())


def add(document: Node) -> None:
    """Adds ``x-codeSamples`` to each operation: curl, TypeScript and, where possible, Python.

    The Python sample is made from ``x-python-sample``: statements that use the client ``api``.
    """
    for path, item in document["paths"].items():
        for method in item.keys() - {"parameters"}:
            sample = _Sample(document, path, method, item)
            sources = [("Shell", "curl", sample.curl())]
            sources += [("TypeScript", "TypeScript", sample.typescript())]
            sources += [("Python", "Python", sample.with_client())] if sample.python else []
            item[method]["x-codeSamples"] = [
                {"lang": lang, "label": label, "source": source.rstrip()}
                for lang, label, source in sources
            ]
