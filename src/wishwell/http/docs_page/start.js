const answer = await fetch("/api/2025-04/.well-known/openapi");
let text = await answer.text();
// The service can only guess its address in the samples, or at least the scheme.
for (const address of ["http://127.0.0.1:8000", `http://${location.host}`, `https://${location.host}`]) {
  text = text.replaceAll(address, location.origin);
}
const description = JSON.parse(text);

// "Try it" sends the example of every parameter. For an optional one that is seldom wanted (a cursor of
// another page sequence, for instance), so it is prefilled but disabled.
for (const parameter of Object.values(description.components.parameters)) {
  if (parameter.required) continue;
  parameter.examples = { default: { value: parameter.example, "x-disabled": true } };
  delete parameter.example;
}

Scalar.createApiReference("#reference", {
  content: description,
  slug: "wishwell",
  // Show the description's own samples only.
  hiddenClients: true,
  // An admin token must not outlive the page.
  persistAuth: false,
  // Turn off all features that call or link to third-party servers.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
});
