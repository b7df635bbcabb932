// What `make lint-js` holds the scripts of the playground and of reports to. They are classic scripts, joined in one page: each adds to `windtunnel`.
const BROWSER = [
  "addEventListener", "atob", "btoa", "Blob", "CompressionStream", "CSS", "DecompressionStream", "devicePixelRatio", "document", "getComputedStyle",
  "history", "innerHeight", "innerWidth", "localStorage", "location", "matchMedia", "navigator", "performance", "requestAnimationFrame", "ResizeObserver",
  "Response", "self", "sessionStorage", "setTimeout", "clearTimeout", "structuredClone", "TextDecoder", "TextEncoder", "URL", "URLSearchParams",
  "WebAssembly", "window", "Worker", "IntersectionObserver", "Event", "console", "Path2D", "cancelAnimationFrame", "fetch",
];
const OURS = ["uPlot", "tunnel"];
const RULES = [
  "eqeqeq", "no-cond-assign", "no-constant-condition", "no-dupe-keys", "no-empty", "no-fallthrough", "no-loss-of-precision", "no-self-assign", "no-shadow",
  "no-undef", "no-unreachable", "no-unsafe-finally", "no-unused-expressions", "no-useless-escape", "no-var", "prefer-const", "use-isnan", "valid-typeof",
];

export default [
  {
    files: ["**/*.js"],
    ignores: ["**/uplot-*.js"],
    languageOptions: {
      ecmaVersion: 2022,
      sourceType: "script",
      globals: Object.fromEntries([...BROWSER, ...OURS, "windtunnel"].map((name) => [name, "writable"])),
    },
    rules: {
      ...Object.fromEntries(RULES.map((rule) => [rule, "error"])),
      "no-unused-vars": ["error", { varsIgnorePattern: "^(windtunnel|tunnel)$" }],
    },
  },
];
