"use strict";

// Swagger UI has a dark theme, but follows the reader's choice only in its stand-alone layout,
// which is not used here.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

// "Try it out" fills in the example of every parameter. That of an optional one, a cursor of some
// other walk for instance, would be sent where nothing was meant: show it in the text instead.
const withQuietExamples = (description) => {
  for (const parameter of Object.values(description.components.parameters)) {
    if (!parameter.required && parameter.example !== undefined) {
      parameter.description += `\n\nExample: \`${parameter.example}\``;
      delete parameter.example;
    }
  }
  return description;
};

const quietExamples = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (description) => update(withQuietExamples(description)),
      },
    },
  },
});

SwaggerUIBundle({
  url: "/api/2025-04/.well-known/openapi",
  domNode: document.getElementById("swagger-ui"),
  deepLinking: true,
  // An admin token must not outlive the page.
  persistAuthorization: false,
  // The badge of the online validator would be loaded from another origin.
  validatorUrl: null,
  plugins: [quietExamples],
});
