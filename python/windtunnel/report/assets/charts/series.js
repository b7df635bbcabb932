// Charts against time: one per quantity, one cursor and one window of time for all of a page.
"use strict";

windtunnel.series = (() => {
  const HEIGHT = 210;
  const times = (given) => (Array.isArray(given) ? given : Float64Array.from({ length: given.count }, (_, at) => given.start + at * given.step));

  // Makes a chart in a box. `group` shares the cursor and the window of time; `yLabel` is drawn beside the axis when given.
  const make = (box, data, group, { height = HEIGHT, yLabel = "", readout = null } = {}) => {
    const t = times(data.t);
    const hidden = group.hidden;
    const dots = data.dots;
    const line = (one) => ({
      label: one.label,
      stroke: () => windtunnel.colour(one.colour),
      width: dots ? 0 : 1.25,
      show: !hidden.has(one.label),
      paths: dots ? () => null : undefined,
      points: dots ? { show: true, size: 5, width: 0, fill: () => windtunnel.colour(one.colour) } : { show: false },
      spanGaps: false,
    });
    const options = {
      width: Math.max(box.clientWidth, 200),
      height,
      padding: [8, 22, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: group.key, scales: ["x", null] }, drag: { x: true, y: false, setScale: false }, points: { size: 6 }, y: false },
      scales: {
        x: { time: false, range: (_chart, min, max) => [min, max] },
        y: { range: (_chart, min, max) => (min === null ? [0, 1] : [Math.min(0, min * 1.06), max > 0 ? max * 1.06 : 1]) },
      },
      axes: [
        windtunnel.axis({ grid: { show: false }, size: 30, space: 70, values: (_chart, splits) => splits.map((value) => `${windtunnel.number(value, 6)} s`) }),
        windtunnel.axis({ size: 54, space: 36, label: yLabel || undefined, labelSize: yLabel ? 20 : 0 }),
      ],
      series: [{}, ...data.lines.map(line)],
      hooks: {
        setSelect: [
          (chart) => {
            if (chart.select.width < 4) return;
            group.show({ min: chart.posToVal(chart.select.left, "x"), max: chart.posToVal(chart.select.left + chart.select.width, "x") });
            chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
        setCursor: readout ? [(chart) => say(chart, readout)] : [],
      },
    };
    const values = data.lines.map((one) => one.v);
    const chart = new uPlot(options, [t, ...values], box);
    chart.over.addEventListener("dblclick", () => group.show(null));
    windtunnel.fit(chart, box, height);
    windtunnel.keys(box, chart, group.show);
    group.add(chart, t);
    return chart;
  };

  const say = (chart, readout) => {
    const at = chart.cursor.idx;
    if (at === null || at === undefined) {
      readout.textContent = "";
      return;
    }
    const shown = chart.series.slice(1).flatMap((one, order) => {
      const value = chart.data[order + 1][at];
      if (!one.show || value === null || value === undefined) return [];
      const word = windtunnel.element("span", {}, windtunnel.number(value));
      word.style.color = one._stroke || "";
      return [word];
    });
    readout.replaceChildren(`${windtunnel.number(chart.data[0][at], 6)} s `, ...shown.slice(0, 6));
  };

  // Charts that move together.
  const grouped = (key) => {
    const members = [];
    const group = {
      key,
      hidden: new Set(),
      add: (chart, t) => {
        members.push({ chart, from: t[0], to: t[t.length - 1] });
      },
      // Shows a window of time in all of them, kept within the run; null shows the whole run.
      show: (wanted) => {
        const low = Math.min(0, ...members.map((one) => one.from));
        const high = Math.max(...members.map((one) => one.to));
        const asked = wanted || { min: low, max: high };
        const width = Math.min(Math.max(asked.max - asked.min, (high - low) / 1e5), high - low);
        const min = Math.min(Math.max(asked.min, low), high - width);
        for (const one of members) one.chart.setScale("x", { min, max: min + width });
      },
      toggle: (label) => {
        if (!group.hidden.delete(label)) group.hidden.add(label);
        for (const { chart } of members) {
          chart.series.forEach((one, at) => {
            if (at && one.label === label) chart.setSeries(at, { show: !group.hidden.has(label) });
          });
        }
      },
    };
    return group;
  };

  // Buttons that show and hide a line in every chart of a group.
  const legend = (box, lines, group) => {
    for (const one of lines) {
      const button = windtunnel.element("button", { type: "button", "aria-pressed": "true" }, windtunnel.marks.icon("", one.colour, []), one.label);
      button.addEventListener("click", () => {
        group.toggle(one.label);
        button.setAttribute("aria-pressed", String(!group.hidden.has(one.label)));
      });
      box.append(button);
    }
  };

  const start = () => {
    for (const page of document.querySelectorAll("[data-charts]")) {
      page.hidden = false;
      const group = grouped(page.dataset.charts);
      const lines = new Map();
      for (const section of page.querySelectorAll("[data-chart]")) {
        const data = windtunnel.stored(section.dataset.chart);
        make(section.querySelector(".plot"), data, group, { readout: section.querySelector(".readout") });
        for (const one of data.lines) if (data.lines.length > 1 || data.dots) lines.set(one.label, one);
      }
      group.show(null);
      if (lines.size > 1) legend(page.querySelector(".legend"), [...lines.values()], group);
      page.querySelector("[data-reset]").addEventListener("click", () => group.show(null));
    }
  };
  document.addEventListener("DOMContentLoaded", start);

  return { make, grouped, legend, times };
})();
