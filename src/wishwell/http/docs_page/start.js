const answer = await fetch("/api/2025-04/.well-known/openapi");
const text = await answer.text();
// The samples name a service on this machine: name this one.
const description = JSON.parse(text.replaceAll("http://127.0.0.1:8000", location.origin));

// A request that is tried has the example of every parameter. That of an optional one, a cursor of some
// other walk for instance, would be sent where nothing was meant: it is there, but turned off.
for (const parameter of Object.values(description.components.parameters)) {
  if (parameter.required) continue;
  parameter.examples = { default: { value: parameter.example, "x-disabled": true } };
  delete parameter.example;
}

Scalar.createApiReference("#reference", {
  content: description,
  slug: "wishwell",
  // The samples are those of the description.
  hiddenClients: true,
  // An admin token must not outlive the page.
  persistAuth: false,
  // All that would call a server of others, or lead there.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
});
