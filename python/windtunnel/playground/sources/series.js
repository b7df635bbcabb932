// From the frames of a run to the lines of charts. Times are seconds, rates Mbit/s, round trips milliseconds.
"use strict";

tunnel.series = (() => {
  const QUEUE = ["#57606a", "#a3abb5"];
  const DROPS = ["#D55E00", "#e87d40"];
  const MARKS = ["#0072B2", "#3f93d2"];
  const MOST = 24;
  // Shares of black, or below zero of white, in the colours of one protocol's flows: as in the figures.
  const SHADES = [0, 0.55, -0.45, 0.3, -0.65];

  const shade = (colour, share) => {
    const target = share > 0 ? 0 : 255;
    const channel = (at) => {
      const value = parseInt(colour.slice(at, at + 2), 16);
      return Math.round(value + Math.abs(share) * (target - value)).toString(16).padStart(2, "0");
    };
    return `#${channel(1)}${channel(3)}${channel(5)}`;
  };

  // Label and colours of each flow: those of its protocol, shaded where there are several.
  const looks = (flows, look) => {
    const seen = new Map();
    return flows.map((flow, order) => {
      const name = flow.algorithm.split(":")[0];
      const nth = seen.get(name) || 0;
      seen.set(name, nth + 1);
      const [light, dark] = look[name] || ["#666666", "#a9afb6"];
      const share = SHADES[nth % SHADES.length];
      return { label: `${order + 1} ${flow.algorithm}`, colour: [shade(light, share), shade(dark, -share * 0.8)] };
    });
  };

  const rising = (t, delivered, bin_s, upTo) => {
    const rate = new Float64Array(t.length).fill(NaN);
    let from = 0;
    for (let at = 0; at < upTo; at += 1) {
      if (!Number.isFinite(delivered[at])) {
        from = at + 1;
        continue;
      }
      while (t[at] - t[from] > bin_s + 1e-9) from += 1;
      if (at > from) rate[at] = ((delivered[at] - delivered[from]) * 8) / (t[at] - t[from]) / 1e6;
    }
    return rate;
  };

  // Counts within the bin that ends at each time.
  const within = (t, total, bin_s) => {
    const counts = new Float64Array(t.length);
    let from = 0;
    for (let at = 0; at < t.length; at += 1) {
      while (t[at] - t[from] > bin_s + 1e-9) from += 1;
      counts[at] = total[at] - total[from];
    }
    return counts;
  };

  // All that is drawn of a run: times, and of each quantity its lines.
  const made = (answer, look) => {
    const { scenario, frames } = answer;
    const links = frames.link_samples.columns;
    const mine = [...links.link].flatMap((link, row) => (link === 0 ? [row] : []));
    const t = Float64Array.from(mine, (row) => links.t_s[row]);
    const ofLink = (name) => Float64Array.from(mine, (row) => links[name][row]);
    const step = scenario.sample_s;
    const samples = frames.flow_samples.columns;
    const styles = looks(scenario.flows, look).slice(0, MOST);
    const gather = () => styles.map(() => new Float64Array(t.length).fill(NaN));
    const names = ["cwnd_packets", "srtt_s", "delivered_bytes", "pacing_rate_bps"];
    const kept = Object.fromEntries(names.map((name) => [name, gather()]));
    for (let row = 0; row < frames.flow_samples.height; row += 1) {
      const lines = samples.flow[row];
      const at = Math.round(samples.t_s[row] / step);
      if (lines >= styles.length || at >= t.length) continue;
      for (const name of names) kept[name][lines][at] = samples[name][row];
    }
    // A shorter one shows the bursts within a round trip.
    const longest = Math.max(...scenario.flows.map((flow) => flow.rtt_s || 0), 0);
    const bin_s = Math.min(Math.max(4 * step, scenario.duration_s / 150, longest), scenario.duration_s / 20);
    const line = (values) => styles.map((style, order) => ({ ...style, v: values[order] }));
    const dropped = ofLink("dropped_packets");
    const marked = ofLink("marked_packets");
    return {
      t,
      bin_s,
      styles,
      totals: { dropped, marked },
      cwnd: line(kept.cwnd_packets),
      rtt: line(kept.srtt_s.map((values) => values.map((value) => value * 1e3))),
      rate: line(kept.delivered_bytes.map((values) => rising(t, values, bin_s, t.length))),
      queue: [{ label: "queue", colour: QUEUE, v: ofLink("queue_packets") }],
      drops: [
        { label: "dropped", colour: DROPS, v: within(t, dropped, step) },
        ...(marked.at(-1) > 0 ? [{ label: "marked", colour: MARKS, v: within(t, marked, step) }] : []),
      ],
    };
  };

  return { made, looks };
})();
