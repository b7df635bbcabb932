// Charts against simulated time, drawn up to the moment that is shown; one window of time for all.
"use strict";

tunnel.charts = (() => {
  const QUANTITIES = [
    { id: "cwnd", title: "Congestion window", unit: "packets" },
    { id: "rate", title: "Rate", unit: "Mbit/s" },
    { id: "queue", title: "Queue of the bottleneck", unit: "packets" },
    { id: "rtt", title: "Smoothed round trip", unit: "ms" },
    { id: "drops", title: "Dropped", unit: "packets per sample", height: 110 },
  ];
  let members = [];
  let hidden = new Set();
  let span = [0, 1];
  let shownTo = 0;

  const largest = (lines, more) => {
    let top = more;
    for (const line of lines) for (const value of line.v) if (value > top) top = value;
    return top > 0 ? top * 1.06 : 1;
  };

  // A limit that may change in time, as a dashed line: [[from, value], ...].
  const limit = (chart, steps) => {
    const { ctx, bbox } = chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.beginPath();
    ctx.setLineDash([4, 4].map((length) => length * devicePixelRatio));
    ctx.lineWidth = devicePixelRatio;
    ctx.strokeStyle = windtunnel.property("--soft");
    steps.forEach(([from, value], order) => {
      const to = order + 1 < steps.length ? steps[order + 1][0] : chart.scales.x.max;
      const y = chart.valToPos(value, "y", true);
      ctx.lineTo(chart.valToPos(from, "x", true), y);
      ctx.lineTo(chart.valToPos(to, "x", true), y);
    });
    ctx.stroke();
    ctx.restore();
  };

  // Where simulated time stands.
  const head = (chart) => {
    if (shownTo <= chart.scales.x.min || shownTo >= chart.scales.x.max) return;
    const { ctx, bbox } = chart;
    const x = Math.round(chart.valToPos(shownTo, "x", true));
    ctx.save();
    ctx.fillStyle = windtunnel.property("--focus");
    ctx.fillRect(x - devicePixelRatio / 2, bbox.top, devicePixelRatio, bbox.height);
    ctx.restore();
  };

  const drawn = (one, bars) => ({
    label: one.label,
    stroke: () => windtunnel.colour(one.colour),
    fill: bars ? () => windtunnel.colour(one.colour) : undefined,
    width: bars ? 1 : 1.5,
    paths: bars ? uPlot.paths.bars({ size: [1, 6, 1] }) : undefined,
    show: !hidden.has(one.label),
    points: { show: false },
    spanGaps: false,
  });

  const make = (box, quantity, lines, limits) => {
    const height = quantity.height || Number(getComputedStyle(box).getPropertyValue("--plot-height")) || 190;
    const top = largest(lines, limits ? Math.max(...limits.map(([, value]) => value)) : 0);
    const chart = new uPlot(
      {
        width: Math.max(box.clientWidth, 200),
        height,
        padding: [8, 14, 0, 0],
        legend: { show: false },
        cursor: { sync: { key: "tunnel", scales: ["x", null] }, drag: { x: true, y: false, setScale: false }, points: { size: 6 }, y: false },
        scales: { x: { time: false, range: () => span }, y: { range: () => [0, top] } },
        axes: [
          windtunnel.axis({ grid: { show: false }, size: 28, space: 60, values: (_chart, splits) => splits.map((value) => `${windtunnel.number(value, 6)} s`) }),
          windtunnel.axis({ size: 52, space: quantity.height ? 24 : 34 }),
        ],
        series: [{}, ...lines.map((line) => drawn(line, quantity.id === "drops"))],
        hooks: {
          draw: [(made) => (limits ? limit(made, limits) : null), head],
          setSelect: [
            (made) => {
              if (made.select.width < 6) return;
              zoom({ min: made.posToVal(made.select.left, "x"), max: made.posToVal(made.select.left + made.select.width, "x") });
              made.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            },
          ],
          setCursor: [(made) => say(made, box.parentElement.querySelector(".readout"))],
        },
      },
      [[], ...lines.map(() => [])],
      box,
    );
    chart.over.addEventListener("dblclick", () => zoom(null));
    windtunnel.fit(chart, box, height);
    return chart;
  };

  const say = (chart, readout) => {
    const at = chart.cursor.idx;
    if (at === null || at === undefined || chart.data[0][at] === undefined) {
      readout.textContent = "";
      return;
    }
    const words = chart.series.slice(1, 7).flatMap((one, order) => {
      const value = chart.data[order + 1][at];
      if (!one.show || !Number.isFinite(value)) return [];
      const word = windtunnel.element("span", {}, windtunnel.number(value, 3));
      word.style.color = one._stroke || "";
      return [word];
    });
    readout.replaceChildren(`${windtunnel.number(chart.data[0][at], 5)} s `, ...words);
  };

  let whole = [0, 1];
  const zoom = (wanted) => {
    const [low, high] = whole;
    const width = wanted ? Math.min(Math.max(wanted.max - wanted.min, (high - low) / 1e4), high - low) : high - low;
    const min = wanted ? Math.min(Math.max(wanted.min, low), high - width) : low;
    span = [min, min + width];
    for (const { chart } of members) chart.setScale("x", { min, max: min + width });
    document.getElementById("whole").hidden = width > (high - low) * 0.999;
  };

  // Charts of a run; `limits` are the rates and the queue's size against time.
  const show = (series, duration_s, limits) => {
    for (const { chart } of members) chart.destroy();
    whole = [0, duration_s];
    span = whole;
    document.getElementById("whole").hidden = true;
    members = QUANTITIES.map((quantity) => {
      const section = document.getElementById(`chart-${quantity.id}`);
      const box = section.querySelector(".plot");
      const lines = series[quantity.id];
      if (quantity.id === "drops") section.querySelector("h3").firstChild.textContent = lines.length > 1 ? "Dropped and marked " : "Dropped ";
      box.replaceChildren();
      return { chart: make(box, quantity, lines, limits[quantity.id]), lines, section, box, quantity };
    });
    draw(series.t, shownTo);
  };

  // Draws what happened up to `t_s`.
  const draw = (t, t_s) => {
    shownTo = t_s;
    let count = 0;
    let high = t.length;
    while (count < high) {
      const middle = (count + high) >> 1;
      if (t[middle] <= t_s + 1e-9) count = middle + 1;
      else high = middle;
    }
    for (const { chart, lines } of members) {
      chart.setData([t.subarray(0, count), ...lines.map((line) => line.v.subarray(0, count))], false);
      chart.redraw(true, false);
    }
    return count - 1;
  };

  const toggle = (label) => {
    if (!hidden.delete(label)) hidden.add(label);
    for (const { chart } of members) {
      chart.series.forEach((one, at) => {
        if (at && one.label === label) chart.setSeries(at, { show: !hidden.has(label) });
      });
    }
    return !hidden.has(label);
  };

  const forget = () => {
    hidden = new Set();
  };

  const keys = () => {
    for (const { id } of QUANTITIES) {
      const box = document.querySelector(`#chart-${id} .plot`);
      windtunnel.keys(box, { scales: { get x() { return { min: span[0], max: span[1] }; } } }, zoom);
    }
    document.getElementById("whole").addEventListener("click", () => zoom(null));
  };

  const isHidden = (label) => hidden.has(label);
  return { QUANTITIES, show, draw, toggle, forget, isHidden, keys, largest };
})();
