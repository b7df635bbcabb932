// What every chart shares: the data scripts hand over, colours of the reader's scheme, numbers as text, axes, and sizes that follow the page.
"use strict";

const windtunnel = (() => {
  const stored = new Map();
  const charts = new Set();
  // On paper it is light, whatever the screen shows.
  const dark = matchMedia("screen and (prefers-color-scheme: dark)");
  const MINUS = "\u2212";
  const HIGH = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  const FONT = '12px "Segoe UI", -apple-system, "Helvetica Neue", Arial, "Liberation Sans", sans-serif';

  dark.addEventListener("change", () => {
    for (const chart of charts) chart.redraw();
  });

  const property = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const colour = (pair) => pair[dark.matches ? 1 : 0];

  const number = (value, digits = 4) => {
    if (value === null || value === undefined || !Number.isFinite(value)) return "";
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-3 || size >= 1e7)) {
      const [lead, power] = value.toExponential(1).split("e");
      const raised = [...String(Number(power))].map((sign) => HIGH[sign]).join("");
      return (Number(lead) === 1 ? "" : `${Number(lead)}×`.replace("-", MINUS)) + `10${raised}`;
    }
    return String(Number(value.toPrecision(digits))).replace("-", MINUS);
  };

  const axis = (more) => ({
    stroke: () => property("--soft"),
    font: FONT,
    labelFont: FONT,
    gap: 6,
    grid: { stroke: () => property("--rule"), width: 1 },
    ticks: { show: true, stroke: () => property("--rule"), width: 1, size: 4 },
    values: (_chart, splits) => splits.map((value) => number(value)),
    ...more,
  });

  // A chart is as wide as its box, now and after the window changes.
  const fit = (chart, box, height) => {
    charts.add(chart);
    let width = box.clientWidth;
    new ResizeObserver(() => {
      if (box.clientWidth && box.clientWidth !== width) {
        width = box.clientWidth;
        chart.setSize({ width, height });
      }
    }).observe(box);
  };

  // Handed over by a script, or held by the page itself.
  const given = (name) => {
    if (!stored.has(name)) {
      const block = document.querySelector(`script[data-name="${CSS.escape(name)}"]`);
      if (block) stored.set(name, JSON.parse(block.textContent));
    }
    return stored.get(name);
  };

  const element = (name, attributes = {}, ...inside) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...inside);
    return made;
  };

  return {
    data: (name, value) => stored.set(name, value),
    stored: given,
    colour,
    property,
    number,
    axis,
    fit,
    element,
  };
})();
