// An experiment's figure, live: the same points, curves, theory and limits as the printed one.
"use strict";

(() => {
  const HEIGHT = 300;
  const SIZE = 4.2;
  const DRAWN = ["value", "partly", "bound"];
  const OTHERS = 1.3;
  const LARGER = { P: 1.2, X: 1.15, "*": 1.25 };

  const columns = (figure, number) => {
    const own = figure.points.filter((point) => point.p === number);
    const lines = figure.panels[number].lines;
    const xs = [...new Set([...own.map((point) => point.x), ...lines.flatMap((line) => line.x)])].sort((a, b) => a - b);
    const place = new Map(xs.map((x, at) => [x, at]));
    const column = (pairs) => {
      const values = new Array(xs.length).fill(null);
      for (const [x, y] of pairs) values[place.get(x)] = y;
      return values;
    };
    const drawn = figure.series.map((_, s) =>
      column(own.filter((point) => !point.b && point.s === s && DRAWN.includes(point.k)).map((point) => [point.x, point.y])),
    );
    return { xs, own, drawn, theory: lines.map((line) => column(line.x.map((x, at) => [x, line.y[at]]))) };
  };

  const bars = (context, chart, point, at, ratio) => {
    if (!point.e || !DRAWN.includes(point.k)) return;
    const floor = chart.scales.y.min;
    const low = Math.max(point.y - point.e, floor);
    const top = chart.valToPos(point.y + point.e, "y") * ratio;
    const bottom = (low > floor || chart.scales.y.distr !== 3 ? chart.valToPos(low, "y") : chart.over.clientHeight) * ratio;
    const cap = 2.5 * ratio;
    const x = at.x * ratio;
    context.beginPath();
    context.moveTo(x, bottom);
    context.lineTo(x, top);
    for (const y of [bottom, top]) {
      context.moveTo(x - cap, y);
      context.lineTo(x + cap, y);
    }
    context.stroke();
  };

  const arrow = (context, x, y, up, ratio) => {
    const step = 3 * ratio;
    context.beginPath();
    context.moveTo(x - step, y - up * 6 * ratio);
    context.lineTo(x, y - up * 10 * ratio);
    context.lineTo(x + step, y - up * 6 * ratio);
    context.stroke();
  };

  // A curve of uPlot's, moved to the side as its marks are.
  const moved = (shift) => {
    const linear = uPlot.paths.linear();
    const aside = (path) => {
      const made = new Path2D();
      if (path) made.addPath(path, new DOMMatrix([1, 0, 0, 1, shift * devicePixelRatio, 0]));
      return path && made;
    };
    return (chart, series, first, last) => {
      const paths = linear(chart, series, first, last);
      return paths && { ...paths, stroke: aside(paths.stroke), clip: aside(paths.clip) };
    };
  };

  const panel = (figure, number, box, state) => {
    const { title, x, y, lines } = figure.panels[number];
    const { xs, own, drawn, theory } = columns(figure, number);
    if (title) box.append(windtunnel.element("h3", {}, title));
    const plot = windtunnel.element("div", { class: "plot" });
    box.append(plot);
    const margin = figure.x_log ? (x[x.length - 1] / x[0]) ** 0.04 || 1.5 : 0.04 * (x[x.length - 1] - x[0]) || 0.5;
    const ends = figure.x_log ? [x[0] / (margin > 1 ? margin : 1.5), x[x.length - 1] * (margin > 1 ? margin : 1.5)] : [x[0] - margin, x[x.length - 1] + margin];
    const alpha = (s) => (state.hidden.has(s) ? 0 : state.near !== null && state.near !== s ? 0.22 : 1);

    const under = (chart) => {
      const { ctx: context } = chart;
      const { left, top, width, height } = chart.bbox;
      context.save();
      context.strokeStyle = windtunnel.property("--soft");
      context.lineWidth = devicePixelRatio;
      for (const level of figure.baseline) {
        const at = Math.round(chart.valToPos(level, "y", true)) + 0.5;
        if (at < top || at > top + height) continue;
        context.beginPath();
        context.moveTo(left, at);
        context.lineTo(left + width, at);
        context.stroke();
      }
      context.restore();
    };
    const over = (chart) => {
      const { ctx: context } = chart;
      const ratio = devicePixelRatio;
      const paper = windtunnel.property("--paper");
      context.save();
      context.translate(chart.bbox.left, chart.bbox.top);
      windtunnel.points.places(chart, own).forEach((at, order) => {
        const point = own[order];
        const style = figure.series[point.s];
        const colour = windtunnel.colour(style.colour);
        context.globalAlpha = alpha(point.s);
        if (!context.globalAlpha) return;
        context.strokeStyle = colour;
        context.lineWidth = 1.2 * ratio;
        bars(context, chart, point, at, ratio);
        if (at.edge) arrow(context, at.x * ratio, at.y * ratio, at.edge, ratio);
        const size = SIZE * (LARGER[style.marker] || 1) * (point.b ? OTHERS : 1) * ratio;
        const look = point.b ? { half: true, paper } : { hollow: point.k !== "value", paper };
        windtunnel.marks.draw(context, style.marker, at.x * ratio, at.y * ratio, size, colour, look);
      });
      context.restore();
    };

    const faded = (s) => {
      const shade = Math.round(alpha(s) * 255).toString(16).padStart(2, "0");
      return windtunnel.colour(figure.series[s].colour) + shade;
    };
    const options = {
      width: Math.max(plot.clientWidth, 200),
      height: HEIGHT,
      padding: [10, 12, 0, 0],
      legend: { show: false },
      cursor: { show: false, drag: { x: false, y: false } },
      scales: {
        x: { time: false, distr: figure.x_log ? 3 : 1, range: ends },
        y: { distr: figure.y_log ? 3 : 1, range: y },
      },
      axes: [
        windtunnel.axis({ grid: { show: false }, size: 30, splits: (chart) => spread(chart, x), filter: (_chart, splits) => splits }),
        windtunnel.axis({ size: 56, space: 34, ...(figure.y_log ? { splits: () => decades(...y), filter: (_chart, splits) => splits } : {}) }),
      ],
      series: [
        {},
        ...lines.map((line) => ({ stroke: () => windtunnel.colour(line.colour), width: 1, dash: [7, 4], points: { show: false }, spanGaps: true })),
        ...figure.series.map((style, s) => ({
          stroke: () => faded(s),
          width: 1.5,
          dash: style.dash,
          points: { show: false },
          spanGaps: false,
          paths: moved(own.find((point) => !point.b && point.s === s)?.d || 0),
        })),
      ],
      hooks: { drawClear: [under], draw: [over] },
    };
    const series = drawn.map((values, s) => joined(xs, values, own.filter((point) => !point.b && point.s === s)));
    const chart = new uPlot(options, [xs, ...theory, ...series], plot);
    windtunnel.fit(chart, plot, HEIGHT);
    return { chart, own };
  };

  // A line runs from point to point over the x values of theory alone, and breaks where a point has no value.
  const joined = (xs, values, own) => {
    const known = new Set(own.map((point) => point.x));
    return values.map((value, at) => (value === null && !known.has(xs[at]) ? undefined : value));
  };

  // Ticks where the points are, as many as have room.
  const spread = (chart, xs) => {
    const kept = [];
    let last = -Infinity;
    for (const x of xs) {
      const at = chart.valToPos(x, "x");
      if (at - last >= 34) {
        kept.push(x);
        last = at;
      }
    }
    return kept;
  };

  // Ticks of a logarithmic axis: powers of ten, and between few of them also twice and five times each.
  const decades = (low, high) => {
    const leads = Math.log10(high / low) > 3 ? [1] : [1, 2, 5];
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
      for (const lead of leads) ticks.push(Number(`${lead}e${power}`));
    }
    const inside = ticks.filter((tick) => tick >= low && tick <= high);
    return inside.length > 1 ? inside : [low, high];
  };

  const curves = (box, figure, root) => {
    const state = { hidden: new Set(), near: null, redraw: () => {} };
    const key = windtunnel.element("div", { class: "legend", role: "group", "aria-label": "Curves shown" });
    const grid = windtunnel.element("div", { class: "panels" });
    box.append(key, windtunnel.element("p", { class: "axis" }, figure.y_label), grid, windtunnel.element("p", { class: "axis below" }, figure.x_label));
    grid.style.setProperty("--panels", Math.min(figure.panels.length, figure.panels.length === 4 ? 2 : 3));
    const boxes = figure.panels.map(() => windtunnel.element("div", { class: "panel" }));
    grid.append(...boxes);
    const charts = figure.panels.map((_, number) => panel(figure, number, boxes[number], state));
    state.redraw = () => charts.forEach(({ chart }) => chart.redraw());
    const tip = windtunnel.points.tooltip(box);
    const marks = charts.flatMap((one) => windtunnel.points.links(one, root, state, tip).map((link, order) => ({ link, point: one.own[order] })));
    windtunnel.points.arrows(box, marks);
    figure.series.forEach((style, s) => {
      const button = windtunnel.element("button", { type: "button", "aria-pressed": "true" }, windtunnel.marks.icon(style.marker, style.colour, style.dash), style.label);
      button.addEventListener("click", () => {
        if (!state.hidden.delete(s)) state.hidden.add(s);
        button.setAttribute("aria-pressed", String(!state.hidden.has(s)));
        state.redraw();
      });
      key.append(button);
    });
    const theory = new Map(figure.panels.flatMap((one) => one.lines.map((line) => [line.label, line.colour])));
    for (const [label, colour] of theory) key.append(windtunnel.element("span", {}, windtunnel.marks.icon("", colour, [7, 4]), label));
    for (const label of figure.others || []) key.append(windtunnel.element("span", { class: "half" }, windtunnel.element("i"), label));
    if (figure.hollow) key.append(windtunnel.element("span", { class: "hollow" }, windtunnel.element("i"), figure.hollow));
  };

  const histories = (box, figure, root) => {
    const group = windtunnel.series.grouped(figure.name + location.pathname);
    const key = windtunnel.element("div", { class: "legend", role: "group", "aria-label": "Flows shown" });
    box.append(key);
    const lines = new Map();
    for (const one of figure.panels) {
      const data = windtunnel.stored(one.data);
      const head = windtunnel.element("header", {}, windtunnel.element("h3", {}, one.title));
      const readout = windtunnel.element("output", { class: "readout", "aria-live": "off" });
      head.append(readout, windtunnel.element("a", { href: root + one.run }, "this run"));
      const label = `${figure.y_label}, ${one.title}, against time. Arrow keys move, plus and minus zoom, Home shows all.`;
      const plot = windtunnel.element("div", { class: "plot", tabindex: "0", role: "group", "aria-roledescription": "chart", "aria-label": label });
      const section = windtunnel.element("div", { class: "chart" }, head, plot);
      box.append(section);
      windtunnel.series.make(plot, data, group, { readout, yLabel: figure.y_label, height: figure.panels.length > 1 ? 190 : 280 });
      for (const line of data.lines) lines.set(line.label, line);
    }
    group.show(null);
    windtunnel.series.legend(key, [...lines.values()], group);
  };

  document.addEventListener("DOMContentLoaded", () => {
    for (const box of document.querySelectorAll("[data-figure]")) {
      const figure = windtunnel.stored(box.dataset.figure);
      box.hidden = false;
      box.closest("figure").classList.add("is-live");
      (figure.kind === "curves" ? curves : histories)(box, figure, box.dataset.root);
    }
  });
})();
